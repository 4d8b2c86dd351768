"""Unions of classes in which one member could accept, and convert, a value that is meant for another.

They become plain objects; the author's schema is enforced by the runtime in any case.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from types import MappingProxyType

from toolgen.compile.models import shapes
from toolgen.compile.models.model_classes import ModelClass, ModelField, Record, as_body, reachable
from toolgen.compile.models.shapes import Shape

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
    resolved: dict[str, ModelClass] = {}
    for name, made in classes.items():
        changed = made.with_shapes(lambda shape: _resolve(shape, ambiguity))
        resolved[name] = replace(changed, body=as_body(changed.body))
    used = reachable(resolved, roots)
    return {name: made for name, made in resolved.items() if name in used}


def _resolve(shape: Shape, ambiguity: _Ambiguity) -> Shape:
    if isinstance(shape, shapes.UnionShape):
        classes = [member for member in shape.members if isinstance(member, shapes.ClassRef)]
        if len(classes) > 1 and ambiguity.exists(classes):
            return shapes.union([*(each for each in shape.members if each not in classes), shapes.OBJECT])
    return shapes.with_inner(shape, lambda inner: _resolve(inner, ambiguity))


class _Ambiguity:
    """Finds ambiguous unions. After `_MAX_PAIRS` comparisons every further union counts as ambiguous."""

    def __init__(self, classes: Mapping[str, ModelClass]) -> None:
        self._classes = classes
        self._with_conversions: frozenset[str] | None = None
        self._pairs = 0

    def exists(self, members: Sequence[shapes.ClassRef]) -> bool:
        """True if a member of a union may accept, and convert, a value that is meant for another."""
        if self._with_conversions is None:
            self._with_conversions = _with_conversions(self._classes)
        names = [member.name for member in members]
        # a member that converts nothing leaves values of other types alone
        if self._with_conversions.isdisjoint(names):
            return False
        records = [body for name in names if isinstance(body := self._classes[name].body, Record)]
        self._pairs += len(records) ** 2
        return self._pairs > _MAX_PAIRS or not all(
            _refuses(other, owner) for other, owner in permutations(records, 2)
        )


def _with_conversions(classes: Mapping[str, ModelClass]) -> frozenset[str]:
    """Return the classes that may convert a value: in a field of their own, or in a class that they use."""
    users: dict[str, list[str]] = {}
    for name, made in classes.items():
        for used in made.classes():
            users.setdefault(used, []).append(name)
    waiting = [name for name, made in classes.items() if any(map(_converts, made.shapes()))]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += users.get(name, ())
    return frozenset(found)


def _converts(shape: Shape) -> bool:
    """True if pydantic may convert a value for `shape` itself; the classes in it are not looked at."""
    match shape:
        case shapes.Scalar(kind):
            return kind != "string"  # pydantic takes strings for the others
        case shapes.Literals(values):
            return any(not isinstance(value, str) for value in values)
        case _:
            return any(map(_converts, shapes.inner_shapes(shape)))


def _refuses(other: Record, owner: Record) -> bool:
    """True if `other` refuses every value of `owner`: by a tag, an unknown key or a missing key."""
    needed, given = set(other.required), set(owner.required)
    if other.closed and given - other.fields.keys():
        return True
    if owner.closed and needed - owner.fields.keys():
        return True
    tags = [(_tags(other.fields[key]), _tags(owner.fields[key])) for key in needed & given]
    return any(one and other and one.isdisjoint(other) for one, other in tags)


def _tags(field: ModelField) -> set[str | int]:
    match field.shape:
        case shapes.Literals(values) | shapes.NamedType(type=shapes.Literals(values)) if all(
            isinstance(v, str) for v in values
        ):
            return set(values)
        case _:
            return set()
