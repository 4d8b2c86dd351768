"""The policy of a project: the level that fails, levels of rules, versions, and accepted changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from toolgen.base.suggestions import quoted
from toolgen.changes.finding import Category, Finding, Level, Places
from toolgen.changes.table import RULES
from toolgen.language.source import Span

UNANALYSED = "unanalysed"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A change that the project accepts, as an entry of `breaking.toml`."""

    code: str
    tool: str  # empty: a setting of the project, or every tool that an edit of a shared file concerns
    reason: str
    span: Span  # in the file
    pointer: str | None = None  # None: anywhere in the tool
    fingerprint: str | None = None  # None: whatever the finding says
    expires: date | None = None  # the last day on which it holds


@dataclass(frozen=True, slots=True)
class Policy:
    """The section `[breaking]` of a configuration, and the file of accepted changes."""

    level: Level = Level.ERROR  # findings from this level on fail
    is_semver: bool = False  # versions are checked
    levels: Mapping[str, Level] = field(default_factory=dict)  # by code, instead of the rule's own
    acceptances: tuple[Acceptance, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)  # file of accepted changes → text


class _AcceptanceIndex:
    """Finds the acceptance of a finding without looking at every entry of the file."""

    def __init__(self, acceptances: Iterable[Acceptance]) -> None:
        self._by_key: dict[tuple[str, str, str | None, str | None], tuple[int, Acceptance]] = {}
        for number, each in enumerate(acceptances):
            key = (each.code, each.tool, each.pointer, each.fingerprint)
            self._by_key.setdefault(key, (number, each))

    def find(self, finding: Finding) -> Acceptance | None:
        """Return the first entry that accepts a finding; None if none does."""
        if not self._by_key:
            return None
        keys = [*_keys(finding)]
        if finding.cause is not None:  # an entry without a tool is about all tools that the cause concerns
            keys += _keys(finding.of_cause(finding.cause, finding.all_tools))
        found = [self._by_key[key] for key in keys if key in self._by_key]
        # The first one in the file counts, so that a later one for the same finding is reported as unused.
        return min(found, key=lambda each: each[0])[1] if found else None


def _keys(finding: Finding) -> Iterator[tuple[str, str, str | None, str | None]]:
    for pointer in (None, finding.pointer):
        for fingerprint in (None, finding.fingerprint):
            yield finding.code, finding.tool, pointer, fingerprint


def apply_policy(findings: Iterable[Finding], policy: Policy, today: date) -> tuple[Finding, ...]:
    """Return the findings with the levels of the policy, marked where they are accepted.

    Findings about entries of the file itself are added: entries that expired, and that match nothing.
    """
    judged = [_with_level(finding, policy.levels) for finding in findings]
    find = _AcceptanceIndex(policy.acceptances).find
    used: set[Acceptance] = set()
    marked = []
    for finding in judged:
        if finding.level is Level.OFF and finding.code != UNANALYSED:  # which is never hidden
            continue
        found = find(finding)
        if found is not None:
            used.add(found)
            if found.expires is None or today <= found.expires:
                finding = replace(finding, accepted=found.reason)
        marked.append(finding)
    return (*marked, *_about_acceptances(policy, used, today))


def failing(
    findings: Iterable[Finding], level: Level, categories: Collection[Category], *, allow_unanalysed: bool
) -> Iterator[Finding]:
    """Yield the findings that fail: those that reach the level, and undecided ones unless allowed."""
    for finding in findings:
        if finding.accepted or finding.category not in categories:
            continue
        if finding.code == UNANALYSED:
            if not allow_unanalysed:
                yield finding
        elif finding.level.reaches(level):
            yield finding


def _with_level(finding: Finding, levels: Mapping[str, Level]) -> Finding:
    level = levels.get(finding.code)
    return finding if level is None else replace(finding, level=level)


def _about_acceptances(policy: Policy, used: Collection[Acceptance], today: date) -> Iterator[Finding]:
    for each in policy.acceptances:
        what = f"{each.code} of {quoted(each.tool)}" if each.tool else each.code
        if each not in used:
            yield _of_entry("acceptance-unused", each, f"no finding matches the accepted change {what}")
        elif each.expires is not None and each.expires < today:
            message = f"the accepted change {what} expired on {each.expires}"
            yield _of_entry("acceptance-expired", each, message)


def _of_entry(code: str, entry: Acceptance, message: str) -> Finding:
    return RULES[code].finding(
        entry.tool,
        entry.pointer or "",
        message,
        Places(entry.span, None),
        detail=[entry.code, entry.fingerprint],
    )
