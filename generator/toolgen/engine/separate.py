"""Unions of classes: kept where no member could take, and rewrite, a value that was meant for another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

from toolgen.engine.shape import Class, as_class
from toolgen.engine.unions import OBJECT, Shape, class_name, named_in, union

_COERCED = {"boolean", "integer", "number"}  # pydantic takes strings for these


def separate(classes: Mapping[str, Class], roots: tuple[str, ...]) -> dict[str, Class]:
    """The classes with unions in doubt told as plain objects, and without those that nothing uses then."""
    settled = {
        name: replace(made, shape=as_class(_settle(made.shape, classes))) for name, made in classes.items()
    }
    used: dict[str, Class] = {}
    waiting = [root for root in roots if root in settled]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used[name] = settled[name]
            waiting += named_in(settled[name].shape)
    return {name: made for name, made in settled.items() if name in used}


def _settle(shape: Any, classes: Mapping[str, Class]) -> Any:
    if isinstance(shape, list):
        return [_settle(item, classes) for item in shape]
    if not isinstance(shape, dict):
        return shape
    members = [member for member in shape.get("anyOf", ()) if "$ref" in member]
    if len(members) > 1 and not _apart(members, classes):
        rest = [member for member in shape["anyOf"] if "$ref" not in member]
        return union([*rest, OBJECT])
    settled = dict(shape)
    for key in ("anyOf", "items", "additionalProperties"):
        if key in settled:
            settled[key] = _settle(settled[key], classes)
    if "properties" in settled:
        properties = settled["properties"].items()
        settled["properties"] = {wire: _settle(inner, classes) for wire, inner in properties}
    return settled


def _apart(members: list[Shape], classes: Mapping[str, Class]) -> bool:
    if all(_inert(member, classes, ()) for member in members):
        return True
    shapes = [classes[class_name(member)].shape for member in members]
    return all(_refuses(thief, owner) for thief, owner in permutations(shapes, 2))


def _inert(shape: Any, classes: Mapping[str, Class], seen: tuple[str, ...]) -> bool:
    """Can a value that the shape takes only be what it says, unconverted?"""
    if "$ref" in shape:
        name = class_name(shape)
        return name in seen or _inert(classes[name].shape, classes, (*seen, name))
    kinds = shape.get("type", ())
    if _COERCED.intersection([kinds] if isinstance(kinds, str) else kinds):
        return False
    if any(not isinstance(value, str | None) for value in shape.get("enum", ())):
        return False
    inner = [*shape.get("properties", {}).values(), *shape.get("anyOf", ())]
    inner += [shape[key] for key in ("items", "additionalProperties") if isinstance(shape.get(key), dict)]
    return all(_inert(item, classes, seen) for item in inner)


def _refuses(thief: Shape, owner: Shape) -> bool:
    """Does `thief` refuse each value of `owner`: by a tag, by a key it does not know, by one it misses?"""
    mine, theirs = thief["properties"], owner["properties"]
    needed, given = set(thief.get("required", ())), set(owner.get("required", ()))
    if not thief["additionalProperties"] and given - mine.keys():
        return True
    if not owner["additionalProperties"] and needed - theirs.keys():
        return True
    tags = [(_tags(mine[key]), _tags(theirs[key])) for key in needed & given]
    return any(one and other and one.isdisjoint(other) for one, other in tags)


def _tags(shape: Shape) -> set[str]:
    values = shape.get("enum", ())
    return set(values) if all(isinstance(value, str) for value in values) else set()
