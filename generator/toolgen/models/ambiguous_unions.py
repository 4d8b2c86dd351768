"""Unions of classes in which one member could accept, and convert, a value that is meant for another.

They become plain objects; the author's schema is enforced by the runtime in any case.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import permutations
from types import MappingProxyType
from typing import Any

from toolgen.models.class_builder import ModelClass, as_class, reachable
from toolgen.models.shapes import OBJECT, Shape, class_name, classes_in, union

_COERCED = {"boolean", "integer", "number"}  # pydantic takes strings for these
_HOLDING = frozenset(("anyOf", "items", "additionalProperties", "properties"))
_MAX_PAIRS = 300_000  # of classes in the unions of one schema


def resolve_ambiguous_unions(
    classes: Mapping[str, ModelClass],
    roots: Iterable[str],
    others: Mapping[str, ModelClass] = MappingProxyType({}),
) -> dict[str, ModelClass]:
    """Return the classes without ambiguous unions, and without classes that nothing uses then.

    `others` are classes of other modules that these refer to.
    """
    ambiguity = _Ambiguity(ChainMap(dict(classes), dict(others)) if others else classes)
    resolved = {
        name: replace(made, shape=as_class(_resolve(made.shape, ambiguity))) for name, made in classes.items()
    }
    used = reachable(resolved, roots)
    return {name: made for name, made in resolved.items() if name in used}


def _resolve(shape: Any, ambiguity: _Ambiguity) -> Any:
    if isinstance(shape, list):
        return [_resolve(item, ambiguity) for item in shape]
    if not isinstance(shape, dict) or _HOLDING.isdisjoint(shape):
        return shape
    members = [member for member in shape.get("anyOf", ()) if "$ref" in member]
    if len(members) > 1 and ambiguity.exists(members):
        rest = [member for member in shape["anyOf"] if "$ref" not in member]
        return union([*rest, OBJECT])
    resolved = dict(shape)
    for key in ("anyOf", "items", "additionalProperties"):
        if key in resolved:
            resolved[key] = _resolve(resolved[key], ambiguity)
    if "properties" in resolved:
        properties = resolved["properties"].items()
        resolved["properties"] = {wire: _resolve(inner, ambiguity) for wire, inner in properties}
    return resolved


class _Ambiguity:
    """Finds ambiguous unions. After `_MAX_PAIRS` comparisons every further union counts as ambiguous."""

    def __init__(self, classes: Mapping[str, ModelClass]) -> None:
        self._classes = classes
        self._with_conversions: frozenset[str] | None = None
        self._pairs = 0

    def exists(self, members: list[Shape]) -> bool:
        """True if a member of a union may accept, and convert, a value that is meant for another."""
        if self._with_conversions is None:
            self._with_conversions = _with_conversions(self._classes)
        names = [class_name(member) for member in members]
        if self._with_conversions.isdisjoint(names):
            return False
        shapes = [self._classes[name].shape for name in names]
        self._pairs += len(shapes) ** 2
        return self._pairs > _MAX_PAIRS or not all(
            _refuses(other, owner) for other, owner in permutations(shapes, 2)
        )


def _with_conversions(classes: Mapping[str, ModelClass]) -> frozenset[str]:
    """Return the classes that may convert a value: in a field of their own, or in a class that they use."""
    users: dict[str, list[str]] = {}
    for name, made in classes.items():
        for used in classes_in(made.shape):
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
    """True if pydantic may convert a value for `shape` itself; the classes in it are not looked at."""
    kinds = shape.get("type", ())
    if _COERCED.intersection([kinds] if isinstance(kinds, str) else kinds):
        return True
    if any(not isinstance(value, str | None) for value in shape.get("enum", ())):
        return True
    inner = [*shape.get("properties", {}).values(), *shape.get("anyOf", ())]
    inner += [shape[key] for key in ("items", "additionalProperties") if isinstance(shape.get(key), dict)]
    return any(map(_converts, inner))


def _refuses(other: Shape, owner: Shape) -> bool:
    """True if `other` refuses every value of `owner`: by a tag, an unknown key or a missing key."""
    mine, theirs = other["properties"], owner["properties"]
    needed, given = set(other.get("required", ())), set(owner.get("required", ()))
    if not other["additionalProperties"] and given - mine.keys():
        return True
    if not owner["additionalProperties"] and needed - theirs.keys():
        return True
    tags = [(_tags(mine[key]), _tags(theirs[key])) for key in needed & given]
    return any(one and other and one.isdisjoint(other) for one, other in tags)


def _tags(shape: Shape) -> set[str]:
    values = shape.get("enum", ())
    return set(values) if all(isinstance(value, str) for value in values) else set()
