"""Ways to violate a schema: each is a list of requirements, one of which lists a refused value satisfies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from toolgen.schema.instances.numbers import NOT_MULTIPLE_OF
from toolgen.schema.instances.prepared_schema import Derived, Not, PreparedSchema, Requirement
from toolgen.schema.instances.strings import NOT_FORMAT, NOT_PATTERN, matching_text
from toolgen.schema.keywords import TYPES

Way = Sequence[Requirement]

_MAX_WAYS: Final = 60
_NAMES: Final = (
    "extra",
    "other",
    "x",
    "",
    "A B",
    "0",
    "größe",
    "a_property_name_with_many_letters",
)
_SAME: Final[tuple[Any, ...]] = ("a", 0, None, {}, [], 1.5, True)


def ways_to_violate(schema: Any, prepared: PreparedSchema) -> list[Way]:
    """Return ways to violate `schema`; the keywords of a way are only those that can be constructed."""
    if isinstance(schema, bool):
        return [] if schema else [[]]
    if isinstance(schema, Not):
        return [[schema.schema]]
    if prepared.is_draft_7 and "$ref" in schema and not isinstance(schema, Derived):
        return [[Not(target)] for target in prepared.references(schema)]
    ways = prepared.derived(
        ("ways", id(schema)), lambda: (schema, list(islice(_ways(schema, prepared), _MAX_WAYS)))
    )
    return ways[1]  # the schema is remembered so that its id stays its own


def _ways(schema: Mapping[str, Any], prepared: PreparedSchema) -> Iterator[Way]:
    for keyword, value in schema.items():
        if simple := _SIMPLE.get(keyword):
            yield [Derived(simple(value))]
        elif keyword in _NEGATED:
            kind, negated = _NEGATED[keyword]
            yield [Derived({"type": kind, negated: value})]
        elif keyword in ("enum", "const"):
            yield []
        elif keyword == "type":
            kinds = [value] if isinstance(value, str) else value
            others = [kind for kind in TYPES if kind not in kinds and (kind, "number") != ("integer", *kinds)]
            if "number" in kinds:
                others = [kind for kind in others if kind != "integer"]
            yield [Derived(type=others)]
        elif keyword in _COMPOUND:
            yield from _COMPOUND[keyword](schema, prepared)
    yield from ([Not(target)] for target in prepared.references(schema))


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


def _required(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    for name in schema["required"]:
        yield [Derived(type="object", properties={name: False})]


def _properties(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    for name, inner in schema["properties"].items():
        yield _with_property(name, Not(inner))


def _pattern_properties(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    for pattern, inner in schema["patternProperties"].items():
        yield _with_property(matching_text(pattern), Not(inner))


def _additional_properties(schema: Mapping[str, Any], prepared: PreparedSchema) -> Iterator[Way]:
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for name in _NAMES:
        if name not in known and not any(prepared.matches(pattern, name) for pattern in patterns):
            yield _with_property(name, Not(schema["additionalProperties"]))


def _unevaluated_properties(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    for name in _NAMES:
        yield _with_property(name, Not(schema["unevaluatedProperties"]))


def _property_names(schema: Mapping[str, Any], prepared: PreparedSchema) -> Iterator[Way]:
    for name in _NAMES:
        if prepared.accepts(schema["propertyNames"], name) is not True:
            yield _with_property(name, True)


def _dependent_required(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    for name, needed in schema["dependentRequired"].items():
        for other in needed:
            yield [Derived(type="object", required=[name], properties={other: False})]


def _dependent_schemas(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    for name, inner in schema["dependentSchemas"].items():
        yield [Derived(type="object", required=[name]), Not(inner)]


def _dependencies(schema: Mapping[str, Any], prepared: PreparedSchema) -> Iterator[Way]:
    for name, inner in schema["dependencies"].items():
        if isinstance(inner, list):
            yield from _dependent_required({"dependentRequired": {name: inner}}, prepared)
        else:
            yield [Derived(type="object", required=[name]), Not(inner)]


def _items(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    items = schema["items"]
    if isinstance(items, list):
        yield from _first_items(items)
    else:
        yield _with_item(len(schema.get("prefixItems", ())), items)


def _prefix_items(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    yield from _first_items(schema["prefixItems"])


def _first_items(items: list[Any]) -> Iterator[Way]:
    for index, inner in enumerate(items):
        yield _with_item(index, inner)


def _additional_items(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    if isinstance(first := schema.get("items"), list):
        yield _with_item(len(first), schema["additionalItems"])


def _unevaluated_items(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    yield _with_item(len(schema.get("prefixItems", ())), schema["unevaluatedItems"])


def _with_item(index: int, refused: Any) -> Way:
    return [Derived(type="array", minItems=index + 1, prefixItems=[True] * index + [Not(refused)])]


def _contains(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    if schema.get("minContains", 1):
        yield [Derived(type="array", items=Not(schema["contains"]))]
    if "maxContains" in schema:
        most = int(schema["maxContains"]) + 1
        yield [Derived(type="array", contains=schema["contains"], minContains=most)]


def _unique_items(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    if schema["uniqueItems"] is True:
        for value in _SAME:
            yield [Derived(type="array", prefixItems=[Derived(const=value)] * 2, minItems=2)]


def _all_of(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    yield from ([Not(part)] for part in schema["allOf"])


def _any_of(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    yield [Not(part) for part in schema["anyOf"]]


def _one_of(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    parts = schema["oneOf"]
    yield [Not(part) for part in parts]
    yield from ([one, other] for index, one in enumerate(parts) for other in parts[:index])


def _not(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    yield [schema["not"]]


def _if(schema: Mapping[str, Any], _: PreparedSchema) -> Iterator[Way]:
    if "then" in schema:
        yield [schema["if"], Not(schema["then"])]
    if "else" in schema:
        yield [Not(schema["if"]), Not(schema["else"])]


_COMPOUND: Final[Mapping[str, Callable[[Mapping[str, Any], PreparedSchema], Iterator[Way]]]] = {
    "required": _required,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "propertyNames": _property_names,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "dependencies": _dependencies,
    "items": _items,
    "prefixItems": _prefix_items,
    "additionalItems": _additional_items,
    "unevaluatedItems": _unevaluated_items,
    "contains": _contains,
    "uniqueItems": _unique_items,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
}
