"""Compare the tools of two sides: findings about each, and about those that appeared or went."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from toolgen.compat.contract import Contract, Side
from toolgen.compat.finding import Finding, Level, Places
from toolgen.compat.policy import Policy, apply_policy
from toolgen.compat.renames import find_renames
from toolgen.compat.rule import OtherRule, ToolEdit, ToolPair, ToolRule
from toolgen.compat.schema_findings import schema_findings
from toolgen.compat.settings import Settings
from toolgen.compat.table import RULES, SETTING_RULES, TOOL_RULES
from toolgen.compat.versions import version_findings
from toolgen.data.source import Span
from toolgen.schema.document import plain_pointer
from toolgen.suggestions import quoted


def compare(old: Side, new: Side, *, policy: Policy, today: date) -> tuple[Finding, ...]:
    """Return every finding, with the levels of the policy, in the order of the new places.

    `today` decides whether a deprecated tool may be gone, and whether an accepted change still is.
    """
    findings = apply_policy(_differences(old, new, today), policy, today)
    if not policy.is_semver:
        return in_order(by_cause(findings))
    renames = find_renames(old.contracts, new.contracts)
    of_versions: list[Finding] = []
    for name, contract in old.contracts.items():
        successor = new.contracts.get(renames.get(name, name))
        if successor is not None:
            own = [each for each in findings if each.tool == successor.name]
            of_versions += version_findings(contract, successor, own)
    without_entries = replace(policy, acceptances=())
    return in_order((*by_cause(findings), *apply_policy(of_versions, without_entries, today)))


def by_cause(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield one finding for all tools that an edit of a shared file concerns in the same way."""
    groups: dict[object, list[Finding]] = {}
    for number, each in enumerate(findings):
        cause = each.cause
        identity = (each.code, each.level, each.direction, cause, json.dumps(each.detail), each.accepted)
        groups.setdefault(number if cause is None else identity, []).append(each)
    for group in groups.values():
        first = min(group, key=lambda each: each.tool)
        tools = {each.tool for each in group}
        yield first if first.cause is None or len(tools) == 1 else first.of_cause(first.cause, tools)


def _differences(old: Side, new: Side, today: date) -> list[Finding]:
    renames = find_renames(old.contracts, new.contracts)
    found: list[Finding] = []
    for name, contract in old.contracts.items():
        successor = new.contracts.get(renames.get(name, name))
        if successor is None:
            found.append(_removed(contract, today))
            continue
        pair = ToolPair(contract, successor, today, old.settings, new.settings)
        if name in renames:
            found.append(_renamed(pair))
        found += _renamed_for_targets(pair)
        found += compare_tools(pair)
    known = {*old.contracts, *renames.values()}
    found += [_added(contract) for name, contract in new.contracts.items() if name not in known]
    if old.settings is not None and new.settings is not None:
        found += compare_settings(old.settings, new.settings)
    return found


def compare_settings(old: Settings, new: Settings) -> Iterator[Finding]:
    """Yield the findings about the settings of a project."""
    for rule in SETTING_RULES:
        for edit in rule.check(old, new):
            yield Finding(
                code=rule.code,
                category=rule.category,
                level=rule.level,
                direction=None,
                tool="",
                pointer=plain_pointer((edit.setting,)),
                message=edit.message,
                hint=rule.advice,
                places=Places(new.places.get(edit.setting), old.places.get(edit.setting)),
                detail=edit.detail,
            )


def compare_tools(pair: ToolPair) -> Iterator[Finding]:
    """Yield the findings about one tool."""
    for rule in TOOL_RULES:
        if not rule.fields or any(pair.knows(field) for field in rule.fields):
            for edit in rule.check(pair):
                yield _of_tool(rule, edit, pair)
    yield from schema_findings(pair)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of their places."""

    def key(finding: Finding) -> Any:
        place = finding.places.new or finding.places.old or Span("", 1, 1)
        return (place, finding.all_tools, finding.code, finding.pointer, finding.message)

    return tuple(sorted(findings, key=key))


def _of_tool(rule: ToolRule, edit: ToolEdit, pair: ToolPair) -> Finding:
    return Finding(
        code=rule.code,
        category=rule.category,
        level=rule.level,
        direction=rule.direction,
        tool=pair.new.name,
        pointer=plain_pointer(edit.path),
        message=edit.message,
        hint=rule.advice,
        places=Places(pair.new.place(*edit.path), pair.old.place(*edit.path)),
        detail=edit.detail,
        cause=edit.cause,
    )


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
    return _of_name(rule, contract.name, message, Places(None, contract.place("name")))


def _added(contract: Contract) -> Finding:
    message = f"tool {quoted(contract.name)} added"
    return _of_name(RULES["tool-added"], contract.name, message, Places(contract.place("name"), None))


def _renamed(pair: ToolPair) -> Finding:
    is_answered = pair.old.name in pair.new.spec.aliases
    message = f"tool {quoted(pair.old.name)} was renamed to {quoted(pair.new.name)}"
    message += ", which answers its former name" if is_answered else ""
    places = Places(pair.new.place("name"), pair.old.place("name"))
    level = Level.INFO if is_answered else None
    return _of_name(RULES["tool-renamed"], pair.new.name, message, places, level=level, detail=pair.old.name)


def _renamed_for_targets(pair: ToolPair) -> Iterator[Finding]:
    """Yield a finding for each target whose callers find the tool under another name than before.

    The verdict is that on what the target lists, as in a comparison with exported definitions.
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
        finding = _of_name(
            RULES["tool-renamed"],
            pair.new.name,
            message,
            Places(pair.new.place(*path), pair.old.place(*path)),
            level=Level.INFO if is_answered else None,
            detail=[before, after],
        )
        yield replace(finding, pointer=plain_pointer(path))


def _of_name(
    rule: Any, tool: str, message: str, places: Places, *, level: Level | None = None, detail: Any = None
) -> Finding:
    assert isinstance(rule, OtherRule)
    return Finding(
        code=rule.code,
        category=rule.category,
        level=level or rule.level,
        direction=None,
        tool=tool,
        pointer=plain_pointer(("name",)),
        message=message,
        hint="" if level is Level.INFO else rule.advice,
        places=places,
        detail=detail,
    )
