"""Unions of classes: kept where no member could take, and rewrite, a value that was meant for another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

from toolgen.models.class_builder import ModelClass, as_class
from toolgen.models.shapes import OBJECT, Shape, class_name, named_in, union

_COERCED = {"boolean", "integer", "number"}  # pydantic takes strings for these
_MOST_PAIRS = 300_000  # of classes in the unions of one schema


def resolve_ambiguous_unions(
    classes: Mapping[str, ModelClass], roots: tuple[str, ...]
) -> dict[str, ModelClass]:
    """The classes with unions in doubt told as plain objects, and without those that nothing uses then."""
    judge = _Judge(classes)
    settled = {
        name: replace(made, shape=as_class(_settle(made.shape, judge))) for name, made in classes.items()
    }
    used: dict[str, ModelClass] = {}
    waiting = [root for root in roots if root in settled]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used[name] = settled[name]
            waiting += named_in(settled[name].shape)
    return {name: made for name, made in settled.items() if name in used}


def _settle(shape: Any, judge: _Judge) -> Any:
    if isinstance(shape, list):
        return [_settle(item, judge) for item in shape]
    if not isinstance(shape, dict):
        return shape
    members = [member for member in shape.get("anyOf", ()) if "$ref" in member]
    if len(members) > 1 and not judge.apart(members):
        rest = [member for member in shape["anyOf"] if "$ref" not in member]
        return union([*rest, OBJECT])
    settled = dict(shape)
    for key in ("anyOf", "items", "additionalProperties"):
        if key in settled:
            settled[key] = _settle(settled[key], judge)
    if "properties" in settled:
        properties = settled["properties"].items()
        settled["properties"] = {wire: _settle(inner, judge) for wire, inner in properties}
    return settled


class _Judge:
    """Decides which unions of classes are kept. It compares so many pairs; further unions are not kept."""

    def __init__(self, classes: Mapping[str, ModelClass]) -> None:
        self._classes = classes
        self._converting: frozenset[str] | None = None
        self._pairs = 0

    def apart(self, members: list[Shape]) -> bool:
        """Whether no member of a union could take, and rewrite, a value that was meant for another."""
        if self._converting is None:
            self._converting = _converting(self._classes)
        names = [class_name(member) for member in members]
        if self._converting.isdisjoint(names):
            return True
        shapes = [self._classes[name].shape for name in names]
        self._pairs += len(shapes) ** 2
        return self._pairs <= _MOST_PAIRS and all(
            _refuses(thief, owner) for thief, owner in permutations(shapes, 2)
        )


def _converting(classes: Mapping[str, ModelClass]) -> frozenset[str]:
    """The classes that may take a value for something else than it is: by themselves, or by one they hold."""
    users: dict[str, list[str]] = {}
    for name, made in classes.items():
        for used in named_in(made.shape):
            users.setdefault(used, []).append(name)
    waiting = [name for name, made in classes.items() if _converts(made.shape)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += users.get(name, ())
    return frozenset(found)


def _converts(shape: Any) -> bool:
    """Whether pydantic may convert a value for `shape` itself; classes in it are looked at by themselves."""
    kinds = shape.get("type", ())
    if _COERCED.intersection([kinds] if isinstance(kinds, str) else kinds):
        return True
    if any(not isinstance(value, str | None) for value in shape.get("enum", ())):
        return True
    inner = [*shape.get("properties", {}).values(), *shape.get("anyOf", ())]
    inner += [shape[key] for key in ("items", "additionalProperties") if isinstance(shape.get(key), dict)]
    return any(map(_converts, inner))


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
