"""Constraints of one location, before they are split by JSON type: those of a subschema's own keywords, and
the intersection of two sets of constraints.

What strict mode cannot express is recorded as a `Loss` on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from toolgen.schema.dialect_loss import Loss
from toolgen.schema.document import JsonPath, value_key
from toolgen.schema.keywords import FORMATS
from toolgen.schema.providers import OPENAI_FORMATS, OPENAI_KEYWORDS

ANY_TYPE: Final = "any"


class Subschema(NamedTuple):
    """A subschema and its path in the author's schema."""

    schema: Any
    path: JsonPath


ValueLocation = tuple[Subschema, ...]
"""A location in a value, by the subschemas that all apply there."""

TypeNames = tuple[str, ...]

Undeclared = Literal["unspecified", "closed", "open"]
"""Whether properties that are not declared are accepted: not said, refused, accepted."""


class TypedValue(NamedTuple):
    """The value of a keyword, and the JSON types that the keyword constrains."""

    types: TypeNames
    value: Any


class TypedLoss(NamedTuple):
    """A loss, and the JSON types that it matters for; None for all."""

    types: TypeNames | None
    loss: Loss


class Constraints(NamedTuple):
    """One way to satisfy a location, for all types together. Without arguments, everything is accepted."""

    types: TypeNames | None = None  # None: any
    values: tuple[Any, ...] | None = None
    is_const: bool = False
    keywords: Mapping[str, TypedValue] = MappingProxyType({})
    properties: Mapping[str, ValueLocation] = MappingProxyType({})
    required: frozenset[str] = frozenset()
    undeclared: Undeclared = "unspecified"
    items: ValueLocation | None = None
    descriptions: tuple[str, ...] = ()
    losses: tuple[TypedLoss, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if no type or no value is left."""
        return self.types == () or self.values == ()


# Intersection


def intersect(a: Constraints, b: Constraints, path: JsonPath) -> Constraints | None:
    """Return the constraints of values that satisfy both, at `path`; None if no value can."""
    types = _common_types(a.types, b.types)
    if types == ():
        return None
    values = a.values if b.values is None else b.values
    if a.values is not None and b.values is not None:
        known = set(map(value_key, b.values))
        values = tuple(value for value in a.values if value_key(value) in known)
    if values == ():
        return None
    keywords, losses = _tighter_keywords(a, b, path)
    both = (a.undeclared, b.undeclared)
    undeclared: Undeclared = "closed" if "closed" in both else "open" if "open" in both else "unspecified"
    items = a.items if b.items is None else b.items if a.items is None else union(a.items, b.items)
    return Constraints(
        types,
        values,
        a.is_const or b.is_const,
        keywords,
        _common_properties(a, b),
        a.required | b.required,
        undeclared,
        items,
        (*a.descriptions, *b.descriptions),
        (*a.losses, *b.losses, *losses),
    )


def union(a: ValueLocation, b: ValueLocation) -> ValueLocation:
    """Return the subschemas of both locations, each once."""
    seen = {part.path for part in a}
    return (*a, *(part for part in b if part.path not in seen))


def _common_types(a: TypeNames | None, b: TypeNames | None) -> TypeNames | None:
    if a is None or b is None:
        return b if a is None else a
    narrowed = []
    for name in a:
        if name in b or (name == "integer" and "number" in b):
            narrowed.append(name)
        elif name == "number" and "integer" in b:
            narrowed.append("integer")
    return tuple(dict.fromkeys(narrowed))


def _common_properties(a: Constraints, b: Constraints) -> dict[str, ValueLocation]:
    """A closed side forbids properties that it does not declare, even if the other side declares them."""
    names = [*a.properties, *(name for name in b.properties if name not in a.properties)]
    found: dict[str, ValueLocation] = {}
    for name in names:
        left, right = a.properties.get(name), b.properties.get(name)
        if left is not None and right is not None:
            found[name] = union(left, right)
        elif (left is None and a.undeclared == "closed") or (right is None and b.undeclared == "closed"):
            continue
        else:
            found[name] = left or right or ()
    return found


_TIGHTER: Final = {
    "minimum": max,
    "exclusiveMinimum": max,
    "minItems": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxItems": min,
}


def _tighter_keywords(
    a: Constraints, b: Constraints, path: JsonPath
) -> tuple[dict[str, TypedValue], list[TypedLoss]]:
    found, losses = dict(a.keywords), list[TypedLoss]()
    for keyword, (types, value) in b.keywords.items():
        if keyword not in found:
            found[keyword] = TypedValue(types, value)
        elif keyword in _TIGHTER:
            found[keyword] = TypedValue(types, _TIGHTER[keyword](found[keyword].value, value))
        elif found[keyword].value != value:
            reason = f"Two values of `{keyword}` hold here, and strict mode can say one."
            losses.append(TypedLoss(types, Loss(path, keyword, reason)))
    return found, losses


# The own keywords of a subschema

_NUMBERS: Final = ("integer", "number")

_ENFORCED: Final = "Strict mode cannot say `{keyword}`; toolgen still enforces it."


class _Dropped(NamedTuple):
    """A keyword that strict mode does not have."""

    types: TypeNames | None  # that it constrains; None: all
    constrains: Callable[[Any], bool]  # True if a value of the keyword constrains anything


_DROPPED: Final = {
    "not": _Dropped(None, lambda value: value is not False),
    "dependentRequired": _Dropped(("object",), bool),
    "dependentSchemas": _Dropped(("object",), bool),
    "dependencies": _Dropped(("object",), bool),
    "propertyNames": _Dropped(("object",), lambda value: value not in (True, {})),
    "minProperties": _Dropped(("object",), bool),
    "maxProperties": _Dropped(("object",), lambda value: True),
    "contains": _Dropped(("array",), lambda value: True),
    "uniqueItems": _Dropped(("array",), bool),
    "unevaluatedItems": _Dropped(("array",), lambda value: value not in (True, {})),
    "minLength": _Dropped(("string",), bool),
    "maxLength": _Dropped(("string",), lambda value: True),
}


_UNSUPPORTED: Final = frozenset({*_DROPPED, "if", "$dynamicRef", "$recursiveRef", "$ref", "const"})
"""Without any of them, a subschema has no unsupported keyword."""

_SUPPORTED: Final = frozenset().union(*OPENAI_KEYWORDS.values())


def own_constraints(schema: Mapping[str, Any], path: JsonPath) -> Constraints:
    """Return the constraints of `schema`, at `path`, without its `$ref`, `allOf`, `anyOf` and `oneOf`."""
    types = schema.get("type")
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    description = schema.get("description")
    losses = _unsupported_keywords(schema, path)
    keywords = _supported_keywords(schema, path, losses)
    undeclared, object_losses = _undeclared_properties(schema, path)
    items, array_losses = _items(schema, path)
    losses += (TypedLoss(("object",), loss) for loss in object_losses)
    losses += (TypedLoss(("array",), loss) for loss in array_losses)
    return Constraints(
        tuple(types) if isinstance(types, list) else (types,) if isinstance(types, str) else None,
        None if values is None else tuple(values),
        "const" in schema,
        keywords,
        {
            name: (Subschema(child, (*path, "properties", name)),)
            for name, child in schema.get("properties", {}).items()
        },
        frozenset(schema.get("required", ())),
        undeclared,
        items,
        (description,) if isinstance(description, str) and description else (),
        tuple(losses),
    )


def _unsupported_keywords(schema: Mapping[str, Any], path: JsonPath) -> list[TypedLoss]:
    if _UNSUPPORTED.isdisjoint(schema):
        return []
    losses = [
        TypedLoss(dropped.types, Loss(path, keyword, _ENFORCED.format(keyword=keyword)))
        for keyword, dropped in _DROPPED.items()
        if keyword in schema and dropped.constrains(schema[keyword])
    ]
    if "if" in schema and ("then" in schema or "else" in schema):
        losses.append(TypedLoss(None, Loss(path, "if", _ENFORCED.format(keyword="if"))))
    losses += (
        TypedLoss(None, Loss(path, keyword, f"Strict mode has no `{keyword}`.", fatal=True))
        for keyword in ("$dynamicRef", "$recursiveRef")
        if keyword in schema
    )
    if path and "$ref" in schema and "$id" in schema:
        losses.append(TypedLoss(None, Loss(path, "$id", "A `$ref` is relative to this `$id`.", fatal=True)))
    if "const" in schema and "enum" in schema:
        losses.append(TypedLoss(None, Loss(path, "enum", _ENFORCED.format(keyword="enum"))))
    return losses


def _supported_keywords(
    schema: Mapping[str, Any], path: JsonPath, losses: list[TypedLoss]
) -> dict[str, TypedValue]:
    """Return the constraints that strict mode has; add a format that it does not have to `losses`."""
    found: dict[str, TypedValue] = {}
    if _SUPPORTED.isdisjoint(schema):
        return found
    for types in (("string",), _NUMBERS, ("array",)):
        for keyword in schema:
            if keyword in OPENAI_KEYWORDS[types[0]]:
                found[keyword] = TypedValue(types, schema[keyword])
    if "format" in found and schema["format"] not in OPENAI_FORMATS:
        del found["format"]
        if schema["format"] in FORMATS:
            reason = f"Strict mode has no format {schema['format']!r}; toolgen still enforces it."
            losses.append(TypedLoss(("string",), Loss(path, "format", reason)))
    return found


def _undeclared_properties(schema: Mapping[str, Any], path: JsonPath) -> tuple[Undeclared, list[Loss]]:
    additional = schema.get("additionalProperties")
    patterns = schema.get("patternProperties") or {}
    losses = []
    if any(child is not False for child in patterns.values()):
        reason = "Strict mode has no properties whose names are not known."
        losses.append(Loss(path, "patternProperties", reason, fatal=True))
    elif patterns:
        losses.append(Loss(path, "patternProperties", _ENFORCED.format(keyword="patternProperties")))
    if additional is False:
        return "closed", losses
    unevaluated = schema.get("unevaluatedProperties", False)
    if additional is None and unevaluated is False:
        return "unspecified", losses
    keyword = "unevaluatedProperties" if additional is None else "additionalProperties"
    reason = "The object takes properties that are not declared; strict mode has only closed objects."
    return "open", [*losses, Loss(path, keyword, reason, fatal=True)]


def _items(schema: Mapping[str, Any], path: JsonPath) -> tuple[ValueLocation | None, list[Loss]]:
    """Return what every item must satisfy. Tuples have no strict form."""
    items = schema.get("items")
    keyword = "prefixItems" if "prefixItems" in schema else "items" if isinstance(items, list) else None
    if keyword is not None:
        return None, [Loss(path, keyword, "Strict mode has no positional items.", fatal=True)]
    return (None if items is None else (Subschema(items, (*path, "items")),)), []
