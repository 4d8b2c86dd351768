"""Judge what an MCP server lists today by its lock: what `toolgen guard` finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from toolgen.comparing.definitions import (
    ExportedSide,
    compare_definitions,
    listed_definitions,
    read_export,
)
from toolgen.comparing.judgement import Judgement
from toolgen.comparing.listed_texts import with_old_layout, words
from toolgen.comparing.server_drift import (
    MAX_TEXT,
    SERVER_RULES,
    TEXTS_FOR_MODELS,
    drift_findings,
    drift_levels,
    hidden_text_findings,
    new_tool_findings,
    with_drift_level,
)
from toolgen.compat.comparison import compare, in_order
from toolgen.compat.contract import ProjectSettings, Side
from toolgen.compat.finding import Category, Finding, Level, Places
from toolgen.compat.policy import Policy, apply_policy, failing
from toolgen.data.source import Span
from toolgen.mcp_client.listing import LISTS, Listing
from toolgen.project import UnableError
from toolgen.schema.document import JsonObject, plain_pointer
from toolgen.suggestions import quoted

_KINDS: Final = {"resources": "resource", "resource_templates": "resource", "prompts": "prompt"}
_NOT_READ: Final = frozenset(("arguments", "_meta", "icons", "size"))
"""Keys of resources and prompts that decide nothing for models and users, or have a rule of their own."""


def judge_server(
    lock: Listing, listing: Listing, *, file: str, text: str, today: date, allow_texts: bool = False
) -> Judgement:
    """Return what changed since the lock was written, each finding at its place in the lock.

    `file` and `text`: the lock's name and content. `allow_texts`: a text for models that changed does not
    fail. Raises `UnableError` if the lock is that of another server.
    """
    if lock.name != listing.name:
        message = f"{file} is the lock of {quoted(lock.name)}, and this server is {quoted(listing.name)}"
        raise UnableError("bad-source", message, "guard each server with a lock of its own: --lock FILE")
    listing = _with_old_layout(listing, lock)
    policy = Policy(levels=drift_levels(allow_texts=allow_texts))
    label = f"the server {listing.label}"
    pinned = read_export(text.encode(), file) if lock.tools else _without_tools(file)
    listed = listed_definitions(listing.tools, label) if listing.tools else _without_tools(label)
    old, new = compare_definitions(pinned, listed)
    found = compare(
        _with_settings(old, lock, file), _with_settings(new, listing, file), policy=policy, today=today
    )
    found = tuple(with_drift_level(each, old) for each in found)
    own = (
        *_of_other_lists(lock, listing, file),
        *_of_tools(lock, listing, pinned, found),
    )
    others = apply_policy(own, policy, today)
    findings = in_order(_in_lock(each, file) for each in (*found, *others))
    failed = tuple(failing(findings, Level.ERROR, frozenset(Category), allow_unanalysed=False))
    return Judgement(findings, failed, Level.INFO, (), {file: text})  # all are shown


def _without_tools(label: str) -> ExportedSide:
    return ExportedSide(label, (), {}, {}, {})


def _with_settings(side: Side, listing: Listing, file: str) -> Side:
    settings = ProjectSettings(
        targets=frozenset(),
        coerce=False,
        output_schema=True,
        package="",
        server_name=listing.name,
        instructions=listing.instructions,
        places={"instructions": Span(file, 1, 1)},
    )
    return replace(side, settings=settings)


def _with_old_layout(listing: Listing, lock: Listing) -> Listing:
    """Return the listing with the texts of the lock where only the layout of their lines differs."""
    changes: dict[str, Any] = {"instructions": lock.instructions}
    if words(lock.instructions) != words(listing.instructions):
        changes["instructions"] = listing.instructions
    for key, by in LISTS.items():
        before = {each[by]: each for each in getattr(lock, key)}
        changes[key] = [with_old_layout(each, before.get(each[by])) for each in getattr(listing, key)]
    return replace(listing, **changes)


def _of_tools(
    lock: Listing, listing: Listing, pinned: ExportedSide, found: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield the findings about what specs do not have, and about texts that no other finding shows."""
    by_tool: dict[str, list[Finding]] = {}
    for each in found:
        by_tool.setdefault(each.tool, []).append(each)
    before = {each["name"]: each for each in lock.tools}
    for tool in listing.tools:
        name = tool["name"]
        if name in before:
            place = Places(None, pinned.places[name].key(("name",)))
            yield from drift_findings(before[name], tool, by_tool.get(name, ()), place)
        else:
            yield from hidden_text_findings((), tool, Places(None, None), name)
            yield from new_tool_findings(tool, before, Places(None, None))


def _in_lock(finding: Finding, file: str) -> Finding:
    """Return the finding with its place in the lock: a server has no lines that could be shown."""
    message = finding.message
    if finding.code in TEXTS_FOR_MODELS and isinstance(finding.detail, str):
        message += f" to {quoted(finding.detail, MAX_TEXT)}"
    return replace(finding, places=Places(finding.places.old or Span(file, 1, 1), None), message=message)


def _of_other_lists(lock: Listing, listing: Listing, file: str) -> Iterator[Finding]:
    """Yield the findings about resources, templates and prompts, and invisible characters beside tools."""
    place = Places(Span(file, 1, 1), None)
    locked, listed = ([getattr(side, key) for key in ("instructions", *_KINDS)] for side in (lock, listing))
    yield from hidden_text_findings(locked, listed, place)
    yield from _of_capabilities(lock, listing, place)
    for key, kind in _KINDS.items():
        before, after = (_by_name(getattr(side, key), LISTS[key]) for side in (lock, listing))
        for name in {**before, **after}:
            for old, new in _pairs(before.get(name, []), after.get(name, [])):
                for end, what, detail in _edits(old, new):
                    message = f"{kind} {quoted(name)} {what}"
                    rule = SERVER_RULES[f"{kind}-{end}"]
                    yield rule.finding("", plain_pointer((key, name)), message, place, detail=detail)


def _of_capabilities(lock: Listing, listing: Listing, place: Places) -> Iterator[Finding]:
    """Yield what the server announces in another way, such as `resources.subscribe`; old locks have none."""
    if lock.capabilities is None or listing.capabilities is None:
        return
    for gone in sorted(lock.capabilities - listing.capabilities):
        message = f"the capability {quoted(gone, 80)} is gone"
        yield SERVER_RULES["capability-removed"].finding("", "", message, place, detail=gone)
    for new in sorted(listing.capabilities - lock.capabilities):
        message = f"the capability {quoted(new, 80)} is new"
        yield SERVER_RULES["capability-added"].finding("", "", message, place, detail=new)


def _by_name(listed: Sequence[JsonObject], by: str) -> dict[str, list[JsonObject]]:
    found: dict[str, list[JsonObject]] = {}
    for each in listed:
        found.setdefault(each[by], []).append(each)
    return found


def _pairs(
    before: Sequence[JsonObject], after: Sequence[JsonObject]
) -> Iterator[tuple[JsonObject | None, JsonObject | None]]:
    """Yield the definitions of one name that differ. A server may list several, and clients choose one."""
    gone = [each for each in before if each not in after]
    for each in after:
        if each not in before:
            yield (gone.pop(0) if gone else before[0] if before else None), each
    if before and len(after) > len(before):
        yield None, after[-1]
    yield from ((each, None) for each in gone)


def _edits(old: JsonObject | None, new: JsonObject | None) -> Iterator[tuple[str, str, Any]]:
    """Yield the end of a rule's code, what happened, and data that tells it apart."""
    if old is None or new is None:
        what = "removed" if new is None else "added"
        yield what, what, None
        return
    changed = _changed_keys(old, new) - _NOT_READ
    before, after = _arguments(old), _arguments(new)
    for name in before.keys() - after.keys():
        yield "argument-removed", f"lost its argument {quoted(name)}", name
    for name, argument in after.items():
        known = before.get(name, {})
        if name not in before and not argument.get("required"):
            yield "argument-added", f"has a new argument {quoted(name)}", name
        if argument.get("required") and not known.get("required"):
            yield "argument-required", f"needs its argument {quoted(name)}", name
        if name in before and _changed_keys(known, argument) - {"required"}:
            changed.add(f"argument {name}")
    if changed:
        shown = ", ".join(_shown(key, new.get(key)) for key in sorted(changed))
        yield "changed", f"changed: {shown}", sorted(changed)


def _shown(key: str, value: Any) -> str:
    return f"{quoted(key)} to {quoted(value, MAX_TEXT)}" if isinstance(value, str) else quoted(key)


def _changed_keys(old: JsonObject, new: JsonObject) -> set[str]:
    return {key for key in {*old, *new} if _compared(old, key) != _compared(new, key)}


def _compared(definition: JsonObject, key: str) -> Any:
    value = definition.get(key)
    if key == "annotations" and isinstance(value, dict):  # the time changes with every edit of a resource
        return {key: each for key, each in value.items() if key != "lastModified"} or None
    return value


def _arguments(prompt: JsonObject) -> dict[str, JsonObject]:
    """Return name → argument; what a server sends beside them is none."""
    listed = prompt.get("arguments")
    found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {each["name"]: each for each in found if isinstance(each.get("name"), str)}
