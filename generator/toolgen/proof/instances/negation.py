"""Ways to violate a schema: each is a list of requirements, one of which lists a refused value satisfies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from toolgen.proof.instances.numbers import NOT_MULTIPLE_OF
from toolgen.proof.instances.prepared_schema import Derived, PreparedSchema, RefusedBy, Requirement
from toolgen.proof.instances.strings import NOT_FORMAT, NOT_PATTERN, matching_text
from toolgen.schema.document import Schema
from toolgen.schema.keywords import TYPES

Way = Sequence[Requirement]

_MAX_WAYS: Final = 60
_NAMES: Final = ("extra", "other", "x", "", "A B", "0", "größe", "a_property_name_with_many_letters")
_SAME: Final[tuple[Any, ...]] = ("a", 0, None, {}, [], 1.5, True)


def ways_to_violate(schema: Any, prepared: PreparedSchema) -> list[Way]:
    """Return ways to violate `schema`; the keywords of a way are only those that can be constructed."""
    if isinstance(schema, bool):
        return [] if schema else [[]]
    if isinstance(schema, RefusedBy):
        return [[schema.schema]]
    if prepared.is_draft_7 and "$ref" in schema and not isinstance(schema, Derived):
        return [[RefusedBy(target)] for target in prepared.references(schema)]
    ways = prepared.derived(
        ("ways", id(schema)), lambda: (schema, list(islice(_ways(schema, prepared), _MAX_WAYS)))
    )
    return ways[1]  # the schema is remembered so that its id stays its own


def _ways(schema: Schema, prepared: PreparedSchema) -> Iterator[Way]:
    for keyword, value in schema.items():
        if simple := _SIMPLE.get(keyword):
            yield [Derived(simple(value))]
        elif keyword in _NEGATED:
            kind, negated = _NEGATED[keyword]
            yield [Derived({"type": kind, negated: value})]
        # No requirement: nearly every value violates these, and each is checked.
        elif keyword in ("enum", "const"):
            yield []
        elif keyword == "type":
            kinds = [value] if isinstance(value, str) else value
            # An integer is a number: it does not violate `number`.
            others = [kind for kind in TYPES if kind not in kinds and (kind, "number") != ("integer", *kinds)]
            # Nor does it where `number` is one of several types.
            if "number" in kinds:
                others = [kind for kind in others if kind != "integer"]
            yield [Derived(type=others)]
        elif keyword in _COMPOUND:
            yield from _COMPOUND[keyword](value, schema, prepared)
    yield from ([RefusedBy(target)] for target in prepared.references(schema))


_NEGATED: Final = {
    "pattern": ("string", NOT_PATTERN),
    "format": ("string", NOT_FORMAT),
    "multipleOf": ("number", NOT_MULTIPLE_OF),
}
_SIMPLE: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "minimum": lambda bound: {"type": "number", "exclusiveMaximum": bound},
    "maximum": lambda bound: {"type": "number", "exclusiveMinimum": bound},
    "exclusiveMinimum": lambda bound: {"type": "number", "maximum": bound},
    "exclusiveMaximum": lambda bound: {"type": "number", "minimum": bound},
    "minLength": lambda bound: {"type": "string", "maxLength": bound - 1},
    "maxLength": lambda bound: {"type": "string", "minLength": bound + 1},
    "minItems": lambda bound: {"type": "array", "maxItems": bound - 1},
    "maxItems": lambda bound: {"type": "array", "minItems": bound + 1},
    "minProperties": lambda bound: {"type": "object", "maxProperties": bound - 1},
    "maxProperties": lambda bound: {"type": "object", "minProperties": bound + 1},
}


def _with_property(name: str, requirement: Any, *more: str) -> Way:
    return [Derived(type="object", required=[name, *more], properties={name: requirement})]


def _required(names: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    for name in names:
        yield [Derived(type="object", properties={name: False})]


def _properties(properties: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    for name, inner in properties.items():
        yield _with_property(name, RefusedBy(inner))


def _pattern_properties(patterns: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    for pattern, inner in patterns.items():
        yield _with_property(matching_text(pattern), RefusedBy(inner))


def _additional_properties(inner: Any, schema: Schema, prepared: PreparedSchema) -> Iterator[Way]:
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for name in _NAMES:
        if name not in known and not any(prepared.matches(pattern, name) for pattern in patterns):
            yield _with_property(name, RefusedBy(inner))


def _unevaluated_properties(inner: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    for name in _NAMES:
        yield _with_property(name, RefusedBy(inner))


def _property_names(names: Any, _: Schema, prepared: PreparedSchema) -> Iterator[Way]:
    for name in _NAMES:
        # None is neither: a schema that cannot be checked may refuse the name.
        if prepared.accepts(names, name) is not True:
            yield _with_property(name, True)


def _dependencies(dependencies: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    for name, inner in dependencies.items():
        if isinstance(inner, list):
            for other in inner:
                yield [Derived(type="object", required=[name], properties={other: False})]
        else:
            yield [Derived(type="object", required=[name]), RefusedBy(inner)]


def _items(items: Any, schema: Schema, _: PreparedSchema) -> Iterator[Way]:
    if isinstance(items, list):
        for index, inner in enumerate(items):
            yield _with_item(index, inner)
    else:
        yield _with_item(len(schema.get("prefixItems", ())), items)


def _additional_items(inner: Any, schema: Schema, _: PreparedSchema) -> Iterator[Way]:
    if isinstance(first := schema.get("items"), list):
        yield _with_item(len(first), inner)


def _with_item(index: int, refused: Any) -> Way:
    return [Derived(type="array", minItems=index + 1, prefixItems=[True] * index + [RefusedBy(refused)])]


def _contains(inner: Any, schema: Schema, _: PreparedSchema) -> Iterator[Way]:
    # With 0, an array without such an item is valid.
    if schema.get("minContains", 1):
        yield [Derived(type="array", items=RefusedBy(inner))]
    if "maxContains" in schema:
        most = int(schema["maxContains"]) + 1
        yield [Derived(type="array", contains=inner, minContains=most)]


def _unique_items(is_unique: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    if is_unique is True:
        for value in _SAME:
            yield [Derived(type="array", prefixItems=[Derived(const=value)] * 2, minItems=2)]


def _all_of(parts: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    yield from ([RefusedBy(part)] for part in parts)


def _any_of(parts: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    yield [RefusedBy(part) for part in parts]


def _one_of(parts: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    yield [RefusedBy(part) for part in parts]
    # A value that satisfies two branches violates `oneOf`, too.
    yield from ([one, other] for index, one in enumerate(parts) for other in parts[:index])


def _not(inner: Any, _: Schema, __: PreparedSchema) -> Iterator[Way]:
    yield [inner]


def _if(condition: Any, schema: Schema, _: PreparedSchema) -> Iterator[Way]:
    if "then" in schema:
        yield [condition, RefusedBy(schema["then"])]
    if "else" in schema:
        yield [RefusedBy(condition), RefusedBy(schema["else"])]


# `unevaluatedItems` is negated as `items`: what other keywords evaluate is seen when a value is checked.
_COMPOUND: Final[Mapping[str, Callable[[Any, Schema, PreparedSchema], Iterator[Way]]]] = {
    "required": _required,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "propertyNames": _property_names,
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "dependencies"), _dependencies),
    **dict.fromkeys(("items", "prefixItems", "unevaluatedItems"), _items),
    "additionalItems": _additional_items,
    "contains": _contains,
    "uniqueItems": _unique_items,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
}
