"""A schema in disjunctive normal form: at every location, alternatives of one JSON type each.

`{"type": ["string", "null"]}` has two alternatives, `anyOf` those of its branches, `allOf` the intersections
of theirs. No alternative has a `$ref` or a combinator. Alternatives are one level deep: a property or an item
is a `ValueLocation`, whose alternatives are computed on demand, so that recursive schemas are finite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, Final, NamedTuple

from toolgen.schema.dialect_loss import Loss
from toolgen.schema.document import (
    JsonPath,
    Located,
    SchemaDocument,
    is_type,
    same_value,
    value_key,
)
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.strict.constraints import (
    ANY_TYPE,
    Constraints,
    Subschema,
    TypedLoss,
    Undeclared,
    ValueLocation,
    intersect,
    own_constraints,
)

MAX_ALTERNATIVES: Final = 256
"""Maximum number of alternatives at one location; schemas with more are not converted to strict form."""

MAX_STEPS: Final = 200_000
"""Maximum number of constraints computed and alternatives compared for one schema."""

MAX_NESTING: Final = 40
"""Maximum depth of combinators inside combinators."""

DISCRIMINATOR_DEPTH: Final = 12
"""Alternatives that are alike down to this depth are taken to overlap: discriminators are near the top."""


class Alternative(NamedTuple):
    """Values of one JSON type; of type "any" if the schema names none, which strict mode cannot express."""

    type: str
    values: tuple[Any, ...] | None  # of enum or const: nothing else is accepted
    is_const: bool
    keywords: Mapping[str, Any]  # further constraints of this type, as the author wrote them
    properties: Mapping[str, ValueLocation]
    required: frozenset[str]
    undeclared: Undeclared
    items: ValueLocation | None
    descriptions: tuple[str, ...]  # outermost first
    losses: tuple[Loss, ...]

    def admits(self, value: object) -> bool:
        """True if `value` is of this type and, if values are listed, one of them."""
        if self.type != ANY_TYPE and not is_type(value, self.type):
            return False
        return self.values is None or any(same_value(value, each) for each in self.values)


class Union(NamedTuple):
    """The branches of a location that is nothing but an `anyOf` or `oneOf`."""

    keyword: str
    branches: tuple[ValueLocation, ...]


class NoStrictFormError(Exception):
    """A schema that cannot be converted to strict form, with the reason as a fatal loss."""

    def __init__(self, path: JsonPath, keyword: str, reason: str) -> None:
        super().__init__(reason)
        self.loss = Loss(path, keyword, reason, fatal=True)


class NormalForm:
    """One author's schema, with the alternatives of its locations, computed on demand."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document.plain
        self.restorable: set[tuple[int, int]] = set()  # pairs of alternatives, see `ambiguity`
        self.overlap_cache: dict[tuple[str, int, int], bool] = {}  # by the identity of two alternatives
        self._steps = 0
        self._alternatives: dict[tuple[JsonPath, ...], tuple[Alternative, ...]] = {}
        self._in_progress: set[tuple[JsonPath, ...]] = set()

    def count_step(self, path: JsonPath = ()) -> None:
        """Count one step of work. Raises `NoStrictFormError` beyond `MAX_STEPS`."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise NoStrictFormError(path, "", "The schema is too complex for strict mode.")

    @property
    def root(self) -> ValueLocation:
        return (Subschema(self._document.schema, ()),)

    def alternatives(self, location: ValueLocation) -> tuple[Alternative, ...]:
        """Return every way to satisfy `location`; none if no value can. Raises `NoStrictFormError`."""
        key = location_key(location)
        found = self._alternatives.get(key)
        if found is None:
            if key in self._in_progress:
                raise _endless(location[0].path)
            self._in_progress.add(key)
            found = self._alternatives[key] = self._compute(location)
            self._in_progress.discard(key)
        return found

    def _compute(self, location: ValueLocation) -> tuple[Alternative, ...]:
        # References and unions share the alternatives of their targets: large recursive schemas stay small.
        target, union = self.target(location), self.union(location)
        if target is not None:
            return self.alternatives((target,))
        if union is not None:
            found = tuple(each for branch in union.branches for each in self.alternatives(branch))
            if len(found) > MAX_ALTERNATIVES:
                raise _too_many(location[0].path)
            return found
        first, *others = location
        ways = [way for way in self._constraints(first, (), unions=True) if not way.is_empty]
        for part in others:
            ways = _cross(ways, self._constraints(part, (), unions=True), part.path)
        return tuple(each for way in ways for each in _by_type(way, location[0].path))

    def without_unions(self, location: ValueLocation) -> tuple[Alternative, ...]:
        """Return the alternatives of `location`, its own `anyOf` and `oneOf` ignored."""
        ways = [way for part in location for way in self._constraints(part, (), unions=False)]
        return tuple(each for way in ways for each in _by_type(way, location[0].path))

    def properties(self, alternative: Alternative) -> dict[str, ValueLocation]:
        """Return the declared properties that can be present: not those whose schema accepts nothing."""
        return {
            name: location for name, location in alternative.properties.items() if self.alternatives(location)
        }

    def union(self, location: ValueLocation) -> Union | None:
        """Return the union that `location` is; None if it has other constraints, too."""
        if len(location) != 1 or not isinstance(schema := location[0].schema, Mapping):
            return None
        if "anyOf" not in schema and "oneOf" not in schema:
            return None
        own = [key for key in schema if key in CONSTRAINING]
        if own not in (["anyOf"], ["oneOf"]):
            return None
        return Union(own[0], tuple((part,) for part in _branches(schema, own[0], location[0].path)))

    def target(self, location: ValueLocation) -> Subschema | None:
        """Return the target of a location that is nothing but a `$ref`."""
        if len(location) != 1 or not isinstance(schema := location[0].schema, Mapping):
            return None
        if "$ref" not in schema:
            return None
        if self._document.siblings_apply and any(key in CONSTRAINING and key != "$ref" for key in schema):
            return None
        return self._resolve(location[0])

    def are_disjoint(self, branches: Iterable[ValueLocation]) -> bool:
        """True if no value satisfies two of `branches`, so that `oneOf` means the same as `anyOf`."""
        alternatives = [self.alternatives(branch) for branch in branches]
        return all(
            self._disjoint(a, b, 0)
            for left, right in combinations(alternatives, 2)
            for a in left
            for b in right
        )

    def _disjoint(self, a: Alternative, b: Alternative, depth: int) -> bool:
        """True only if no value satisfies both."""
        self.count_step()
        by_type = disjoint_by_type(a, b)
        if by_type is not None or depth > DISCRIMINATOR_DEPTH:
            return bool(by_type)
        key = ("as written", id(a), id(b))  # alternatives live as long as this object
        if key not in self.overlap_cache:
            self.overlap_cache[key] = False  # for alternatives that contain themselves: "may overlap" is safe
            self.overlap_cache[key] = (
                _excludes_required(a, b)
                or _excludes_required(b, a)
                or self._have_discriminator(a, b, depth + 1)
            )
        return self.overlap_cache[key]

    def _have_discriminator(self, a: Alternative, b: Alternative, depth: int) -> bool:
        """True if a property that both require has no value in common."""
        for name in a.required & b.required & a.properties.keys() & b.properties.keys():
            left, right = self.alternatives(a.properties[name]), self.alternatives(b.properties[name])
            if all(self._disjoint(x, y, depth) for x in left for y in right):
                return True
        return False

    def _resolve(self, part: Subschema) -> Subschema:
        found = self._document.target(part.schema["$ref"])
        if not isinstance(found, Located):
            reason = f"{part.schema['$ref']!r} is not a place in this schema."
            raise NoStrictFormError(part.path, "$ref", reason)
        return Subschema(*found)

    def _constraints(
        self, part: Subschema, inside: tuple[JsonPath, ...], *, unions: bool
    ) -> list[Constraints]:
        schema, path = part.schema, part.path
        self.count_step(path)
        if isinstance(schema, bool):
            return [Constraints()] if schema else []
        if not isinstance(schema, Mapping):
            raise NoStrictFormError(path, "", "A schema is an object or a boolean.")
        if path in inside or len(inside) > MAX_NESTING:
            raise _endless(path)
        within = (*inside, path)
        if "$ref" in schema and not self._document.siblings_apply:
            return self._constraints(self._resolve(part), within, unions=True)
        ways = [own_constraints(schema, path)]
        if "$ref" in schema:
            ways = _cross(ways, self._constraints(self._resolve(part), within, unions=True), path)
        for index, each in enumerate(_branches(schema, "allOf", path)):
            ways = _cross(ways, self._constraints(each, within, unions=True), (*path, "allOf", index))
        for keyword in ("anyOf", "oneOf") if unions else ():
            if keyword in schema:
                branches = list(_branches(schema, keyword, path))
                found = [way for each in branches for way in self._constraints(each, within, unions=True)]
                if keyword == "oneOf" and not self.are_disjoint((part,) for part in branches):
                    loss = TypedLoss(None, overlapping_branches(path))
                    found = [way._replace(losses=(*way.losses, loss)) for way in found]
                ways = _cross(ways, found, path)
        if schema.get("unevaluatedProperties") is False:
            ways = [
                way._replace(undeclared="closed") if way.undeclared == "unspecified" else way for way in ways
            ]
        return ways


def location_key(location: ValueLocation) -> tuple[JsonPath, ...]:
    """Return what is equal for two locations of one schema if they are the same."""
    return (location[0].path,) if len(location) == 1 else tuple([part.path for part in location])


def disjoint_by_type(a: Alternative, b: Alternative) -> bool | None:
    """Return whether type and listed values exclude each other; None for objects, to be compared further."""
    numbers = {"integer", "number"}
    if ANY_TYPE in (a.type, b.type):
        return False
    if a.type != b.type and not {a.type, b.type} <= numbers:
        return True
    if a.values is not None and b.values is not None:
        return set(map(value_key, a.values)).isdisjoint(map(value_key, b.values))
    return None if a.type == b.type == "object" else False


def _excludes_required(a: Alternative, b: Alternative) -> bool:
    return a.undeclared == "closed" and any(name not in a.properties for name in b.required)


def _too_many(path: JsonPath) -> NoStrictFormError:
    reason = f"There are more than {MAX_ALTERNATIVES} ways to satisfy this schema."
    return NoStrictFormError(path, "anyOf", reason)


def _endless(path: JsonPath) -> NoStrictFormError:
    return NoStrictFormError(path, "$ref", "The schema refers to itself without ever naming a value.")


def _branches(schema: Mapping[str, Any], keyword: str, path: JsonPath) -> Iterator[Subschema]:
    found = schema.get(keyword, ())
    if not isinstance(found, list | tuple):
        raise NoStrictFormError(path, keyword, f"`{keyword}` is a list of schemas.")
    for index, branch in enumerate(found):
        yield Subschema(branch, (*path, keyword, index))


def overlapping_branches(path: JsonPath) -> Loss:
    """Return the loss of a `oneOf` whose branches overlap."""
    return Loss(path, "oneOf", "A value may fit several branches: strict mode knows only `anyOf`.")


def _cross(left: list[Constraints], right: list[Constraints], path: JsonPath) -> list[Constraints]:
    if len(left) * len(right) > MAX_ALTERNATIVES:
        raise _too_many(path)
    return [both for a in left for b in right if (both := intersect(a, b, path)) is not None]


def _by_type(way: Constraints, path: JsonPath) -> Iterable[Alternative]:
    """Yield one alternative for each JSON type that the constraints allow."""
    types, losses = way.types, list(way.losses)
    if types is None:
        types, loss = _implied_types(way, path)
        if loss is not None:
            losses.append(TypedLoss(None, loss))
    if "number" in types:
        types = tuple(each for each in types if each != "integer")
    for name in types:
        values = way.values
        if values is not None:
            values = tuple(value for value in values if is_type(value, name))
            if not values:
                continue
        yield Alternative(
            name,
            values,
            way.is_const,
            {key: typed.value for key, typed in way.keywords.items() if name in typed.types},
            way.properties if name == "object" else {},
            way.required if name == "object" else frozenset(),
            way.undeclared,
            way.items if name == "array" else None,
            way.descriptions,
            tuple(loss for only, loss in losses if only is None or name in only),
        )


def _implied_types(way: Constraints, path: JsonPath) -> tuple[tuple[str, ...], Loss | None]:
    """Return the types of constraints that name none, and the loss of guessing them."""
    if way.values is not None:
        order = ("string", "boolean", "integer", "number", "null", "array", "object")
        first = (next(name for name in order if is_type(value, name)) for value in way.values)
        return tuple(sorted(set(first), key=order.index)), None
    if way.properties or way.required or way.undeclared != "unspecified":
        return ("object",), Loss(path, "type", "There is no `type`: strict mode accepts only objects here.")
    if way.items is not None:
        return ("array",), Loss(path, "type", "There is no `type`: strict mode accepts only arrays here.")
    return (ANY_TYPE,), Loss(path, "type", "There is no `type`, and strict mode needs one.", fatal=True)
