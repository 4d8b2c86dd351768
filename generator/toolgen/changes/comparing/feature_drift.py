"""How resources, templates, prompts and skills of a server are judged, all of them or one at a time.

Nothing of the generator's dependencies is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.server_drift import (
    MAX_TEXT,
    Drift,
    drift_levels,
    drift_of,
    hidden_text_findings,
    key_findings,
    meta_findings,
    with_old_layout,
)
from toolgen.changes.finding import Finding, Places
from toolgen.changes.policy import Policy
from toolgen.changes.table import SERVER_RULES
from toolgen.schema.document import JsonObject, plain_pointer
from toolgen.sources.mcp_client.listing import LISTS, Listing

_KINDS: Final = {
    "resources": "resource",
    "resource_templates": "resource",
    "prompts": "prompt",
    "skills": "skill",
}
_NOT_READ: Final = {"prompts": {"arguments", "_meta", "icons"}, "resources": {"size", "_meta", "icons"}}
"""Keys that models and users do not read, or that have a rule of their own; of other lists, the last two."""


def judge_feature(
    key: str, pinned: Sequence[JsonObject], listed: JsonObject, *, allow_texts: bool, today: date
) -> Drift:
    """Return what changed about a resource, a resource template or a prompt.

    Args:
        key: the list that has it: "resources", "resource_templates", "prompts" or "skills".
        pinned: the definitions in the lock that have its name. Without any, it is new.
        listed: what the server lists.
        allow_texts: True if a text for models may change.
        today: the day on which it is judged.
    """
    policy = Policy(levels=drift_levels(allow_texts=allow_texts))
    now = next(
        (with_old_layout(listed, each) for each in pinned if with_old_layout(listed, each) == each), None
    )
    if now is not None:
        return Drift((), ())
    old = pinned[0] if pinned else None
    now = with_old_layout(listed, old)
    place = Places(None, None)
    found = (
        *hidden_text_findings(list(pinned), now, place),
        *_findings(key, listed[LISTS[key]], old, now, place),
    )
    return drift_of((), found, policy, today)


def feature_findings(lock: Listing, listing: Listing, place: Places) -> Iterator[Finding]:
    """Yield the findings about resources, templates and prompts, and invisible characters beside tools.

    `listing` has the layout of the lock.
    """
    locked, listed = ([getattr(side, key) for key in ("instructions", *_KINDS)] for side in (lock, listing))
    yield from hidden_text_findings(locked, listed, place)
    for key in _KINDS:
        before, after = (_by_name(getattr(side, key), LISTS[key]) for side in (lock, listing))
        for name in {**before, **after}:
            for old, new in _pairs(before.get(name, []), after.get(name, [])):
                yield from _findings(key, name, old, new, place)


def _findings(
    key: str, name: str, old: JsonObject | None, new: JsonObject | None, place: Places
) -> Iterator[Finding]:
    kind, edits = _KINDS[key], list(_edits(key, old, new))
    for end, what, detail in edits:
        rule = SERVER_RULES[f"{kind}-{end}"]
        message = f"{kind} {quoted(name)} {what}"
        yield rule.finding("", plain_pointer((key, name)), message, place, detail=detail)
    if old is not None and new is not None:
        pointer = plain_pointer((key, name))
        yield from meta_findings(old, new, place, pointer=pointer)
        judged = {*old, *new} - {"icons", "" if edits else "arguments"}  # several may have one name
        yield from key_findings(old, new, place, pointer=pointer, judged=judged)


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


def _edits(key: str, old: JsonObject | None, new: JsonObject | None) -> Iterator[tuple[str, str, Any]]:
    """Yield the end of a rule's code, what happened, and data that tells it apart."""
    if old is None or new is None:
        what = "removed" if new is None else "added"
        yield what, what, None
        return
    changed = _changed_keys(old, new) - _NOT_READ.get(key, {"_meta", "icons"})
    before, after = (_arguments(each) if key == "prompts" else {} for each in (old, new))
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
    value = definition.get(key) or None
    if key == "annotations" and isinstance(value, dict):  # the time changes with every edit of a resource
        return {key: each for key, each in value.items() if key != "lastModified"} or None
    if key == "resources" and isinstance(value, list):  # the files of a skill
        return sorted(value, key=json.dumps)
    return value


def _arguments(prompt: JsonObject) -> dict[str, JsonObject]:
    """Return name → argument; what a server sends beside them is none."""
    listed = prompt.get("arguments")
    found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {each["name"]: each for each in found if isinstance(each.get("name"), str)}
