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

    def accepts(self, finding: Finding) -> bool:
        """True if the entry is about the finding, or without a tool, about all that its cause concerns."""
        if finding.cause is not None and not self.tool:
            finding = finding.of_cause(finding.cause, finding.all_tools)
        return (
            (self.code, self.tool) == (finding.code, finding.tool)
            and self.pointer in (None, finding.pointer)
            and self.fingerprint in (None, finding.fingerprint)
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The section `[breaking]` of a configuration, and the file of accepted changes."""

    level: Level = Level.ERROR  # findings from this level on fail
    is_semver: bool = False  # versions are checked
    levels: Mapping[str, Level] = field(default_factory=dict)  # by code, instead of the rule's own
    acceptances: tuple[Acceptance, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)  # file of accepted changes → text


def apply_policy(findings: Iterable[Finding], policy: Policy, today: date) -> tuple[Finding, ...]:
    """Return the findings with the levels of the policy, marked where they are accepted.

    Findings about entries of the file itself are added: entries that expired, and that match nothing.
    """
    judged = [replace(each, level=policy.levels.get(each.code, each.level)) for each in findings]
    by_code: dict[str, list[Acceptance]] = {}
    for entry in policy.acceptances:
        by_code.setdefault(entry.code, []).append(entry)
    used: set[Acceptance] = set()
    marked = []
    for finding in judged:
        if finding.level is Level.OFF and finding.code != UNANALYSED:  # which is never hidden
            continue
        # the first one in the file counts, so that a later one for the same finding is reported as unused
        found = next((each for each in by_code.get(finding.code, ()) if each.accepts(finding)), None)
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
