"""Compare the tools of two sides: findings about each, and about those that came, went or were renamed."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import Contract, ProjectSettings, Side
from toolgen.changes.finding import Category, Finding, Level, Places
from toolgen.changes.policy import UNANALYSED, Policy, apply_policy
from toolgen.changes.rule import ToolPair
from toolgen.changes.schema_findings import schema_findings
from toolgen.changes.schemas.judging import work_of_run
from toolgen.changes.table import RULES, SETTING_RULES, TOOL_RULES
from toolgen.language.source import Span
from toolgen.schema.document import JsonPath, plain_pointer

_NAME: Final = "/name"


def compare(old: Side, new: Side, *, policy: Policy, today: date) -> tuple[Finding, ...]:
    """Return every finding, with the levels of the policy, in the order of the new places.

    `today` decides whether a deprecated tool may be gone, and whether an accepted change still is.
    """
    pairs = _pairs(old, new, today)
    findings = apply_policy(_differences(old, new, pairs, today), policy, today)
    if not policy.is_semver:
        return in_order(by_cause(findings))
    of_versions: list[Finding] = []
    for pair in pairs:
        own = [each for each in findings if each.tool == pair.new.name]
        of_versions += version_findings(pair.old, pair.new, own)
    # Entries are not for findings about versions, and must not be reported as unused once more.
    without_entries = replace(policy, acceptances=())
    return in_order((*by_cause(findings), *apply_policy(of_versions, without_entries, today)))


def _pairs(old: Side, new: Side, today: date) -> list[ToolPair]:
    """Return the tools that both sides have, under the same name or another one."""
    renames, work = find_renames(old.contracts, new.contracts), work_of_run()
    return [
        ToolPair(contract, successor, today, old.settings, new.settings, work)
        for name, contract in old.contracts.items()
        if (successor := new.contracts.get(renames.get(name, name))) is not None
    ]


def by_cause(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield one finding for all tools that an edit of a shared file concerns in the same way."""
    groups: dict[object, list[Finding]] = {}
    for number, each in enumerate(findings):
        cause = each.cause
        # A finding without a cause is a group of its own.
        identity = (each.code, each.level, each.direction, cause, json.dumps(each.detail), each.accepted)
        groups.setdefault(number if cause is None else identity, []).append(each)
    for group in groups.values():
        first = min(group, key=lambda each: each.tool)
        tools = {each.tool for each in group}
        yield first if first.cause is None or len(tools) == 1 else first.of_cause(first.cause, tools)


def _differences(old: Side, new: Side, pairs: Collection[ToolPair], today: date) -> Iterator[Finding]:
    before, after = {pair.old.name for pair in pairs}, {pair.new.name for pair in pairs}
    yield from (_removed(each, today) for name, each in old.contracts.items() if name not in before)
    yield from (_added(each) for name, each in new.contracts.items() if name not in after)
    for pair in pairs:
        if pair.old.name != pair.new.name:
            yield _renamed(pair)
        yield from _renamed_for_targets(pair)
        yield from compare_tools(pair)
    if old.settings is not None and new.settings is not None:
        yield from compare_settings(old.settings, new.settings)


def compare_settings(old: ProjectSettings, new: ProjectSettings) -> Iterator[Finding]:
    """Yield the findings about the settings of a project."""
    for rule in SETTING_RULES:
        for edit in rule.check(old, new):
            setting = str(edit.path[0])
            places = Places(new.places.get(setting), old.places.get(setting))
            yield rule.finding("", plain_pointer(edit.path), edit.message, places, detail=edit.detail)


def compare_tools(pair: ToolPair) -> Iterator[Finding]:
    """Yield the findings about one tool."""
    for rule in TOOL_RULES:
        if not rule.fields or any(pair.knows(field) for field in rule.fields):
            for edit in rule.check(pair):
                yield rule.finding(
                    pair.new.name,
                    plain_pointer(edit.path),
                    edit.message,
                    edit.places or Places(pair.new.place(*edit.path), pair.old.place(*edit.path)),
                    direction=rule.direction,
                    detail=edit.detail,
                    cause=edit.cause,
                )
    yield from schema_findings(pair)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of their places."""

    def key(finding: Finding) -> Any:
        # Neither version has a place for some settings.
        place = finding.places.new or finding.places.old or Span("", 1, 1)
        return (place, finding.all_tools, finding.code, finding.pointer, finding.message)

    return tuple(sorted(findings, key=key))


def _removed(contract: Contract, today: date) -> Finding:
    deprecated = contract.spec.deprecated
    sunset = deprecated.sunset if deprecated else None
    is_over = sunset is not None and sunset < today.isoformat()
    message = f"tool {quoted(contract.name)} removed"
    if is_over:
        message += f"; it was announced for {sunset}"
    elif sunset is not None:
        message += f", before its sunset on {sunset}"
    rule = RULES["tool-removed-after-sunset" if is_over else "tool-removed"]
    return rule.finding(contract.name, _NAME, message, Places(None, contract.place("name")))


def _added(contract: Contract) -> Finding:
    message = f"tool {quoted(contract.name)} added"
    return RULES["tool-added"].finding(contract.name, _NAME, message, Places(contract.place("name"), None))


def _renamed(pair: ToolPair) -> Finding:
    message = f"tool {quoted(pair.old.name)} was renamed to {quoted(pair.new.name)}"
    message += ", which answers its former name"
    return _rename(pair, ("name",), message, is_answered=True, detail=pair.old.name)


def _renamed_for_targets(pair: ToolPair) -> Iterator[Finding]:
    """Yield a finding for each target whose callers find the tool under another name than before.

    The verdict is that on what the target lists.
    """
    if not pair.knows("targets"):
        return
    old, new = pair.old.published_names(), pair.new.published_names()
    for target in sorted({*old, *new}):
        before, after = old.get(target, pair.old.name), new.get(target, pair.new.name)
        is_tools_own = before == pair.old.name and after == pair.new.name
        if before == after or is_tools_own:
            continue
        is_answered = before in pair.new.spec.aliases
        message = f"{target} publishes it as {quoted(after)}, no longer as {quoted(before)}"
        message += ", which is answered" if is_answered else ""
        path = ("targets", target, "name")
        yield _rename(pair, path, message, is_answered=is_answered, detail=[before, after])


def _rename(pair: ToolPair, path: JsonPath, message: str, *, is_answered: bool, detail: Any) -> Finding:
    return RULES["tool-renamed"].finding(
        pair.new.name,
        plain_pointer(path),
        message,
        Places(pair.new.place(*path), pair.old.place(*path)),
        level=Level.INFO if is_answered else None,
        detail=detail,
    )


def find_renames(old: Mapping[str, Contract], new: Mapping[str, Contract]) -> dict[str, str]:
    """Return former name → name, for tools of `old` that `new` has as an alias of another one."""
    aliases = {alias: name for name, each in new.items() for alias in each.spec.aliases}
    return {name: aliases[name] for name in old if name not in new and name in aliases}


# Versions, as Semantic Versioning 2.0.0 has it (https://semver.org)

_VERSION: Final = re.compile(
    r"(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?",
    re.ASCII,
)


_MAX_LENGTH: Final = 255  # characters


class Bump(enum.IntEnum):
    """How far one version is from another."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A semantic version, in the order of section 11. Build metadata is left out: it has no order."""

    core: tuple[int, int, int]
    is_release: bool = True  # after its pre-releases
    pre_release: tuple[tuple[int, int, str], ...] = ()  # numbers, which are below words, and words

    @staticmethod
    def parse(text: str) -> Version | None:
        """Return the version that `text` is; None if it is none."""
        found = _VERSION.fullmatch(text) if len(text) <= _MAX_LENGTH else None
        if found is None:
            return None
        parts = found["pre"].split(".") if found["pre"] else []
        pre = tuple((0, int(each), "") if each.isdigit() else (1, 0, each) for each in parts)
        return Version((int(found["major"]), int(found["minor"]), int(found["patch"])), not pre, pre)

    def bump_to(self, other: Version) -> Bump:
        """Return which number of this version is raised in `other`."""
        for before, after, bump in zip(
            self.core, other.core, (Bump.MAJOR, Bump.MINOR, Bump.PATCH), strict=True
        ):
            if after > before:
                return bump
        if not self.is_release and self < other:
            return Bump.MAJOR  # a pre-release promises nothing
        return Bump.NONE


def version_findings(old: Contract, new: Contract, findings: Collection[Finding]) -> Iterator[Finding]:
    """Yield what is wrong with the version of `new`, of which `findings` are all that is known."""
    before, after = old.spec.version, new.spec.version
    # Without a version before, there is nothing to compare with.
    if before is None or "version" not in new.knows or "version" not in old.knows:
        return
    if after is None:
        yield _finding("version-invalid", old, new, f"version {quoted(before)} removed")
        return
    first, second = Version.parse(before), Version.parse(after)
    if second is None:
        yield _finding("version-invalid", old, new, f"{quoted(after)} is not a semantic version")
    elif first is not None and second < first:
        yield _finding("version-decreased", old, new, f"version lowered from {before} to {after}")
    elif first is not None:
        wanted = wanted_bump(findings, first)
        if first.bump_to(second) < wanted:
            why = _REASONS[max(_bump(finding) for finding in findings)]
            message = f"{why} asks for a {wanted.name.lower()} version after {before}; it is {after}"
            yield _finding("version-not-bumped", old, new, message, detail=wanted.name.lower())


_REASONS: Final = {
    Bump.MAJOR: "a break",
    Bump.MINOR: "a change of the contract",
    Bump.PATCH: "a new text",
}


def wanted_bump(findings: Collection[Finding], version: Version) -> Bump:
    """Return the bump that findings ask for. Below 1.0.0, each is one smaller (section 4)."""
    bump = max((_bump(finding) for finding in findings), default=Bump.NONE)
    return Bump(max(bump - 1, Bump.PATCH)) if version.core[0] == 0 and bump else bump


def _bump(finding: Finding) -> Bump:
    if finding.category is Category.AGENT:
        return Bump.PATCH
    concerns_users = (
        finding.category in (Category.WIRE, Category.SOURCE, Category.SAFETY) and not finding.accepted
    )
    breaks = finding.level is Level.ERROR or finding.code == UNANALYSED
    return Bump.MAJOR if concerns_users and breaks else Bump.MINOR


def _finding(code: str, old: Contract, new: Contract, message: str, detail: str = "") -> Finding:
    places = Places(new.place("version"), old.place("version"))
    return RULES[code].finding(new.name, "/version", message, places, detail=detail)
