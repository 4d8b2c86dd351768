"""What a schema says before types are told apart, and the intersection of two such sayings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from toolgen.schema.document import Path, value_key
from toolgen.schema.keywords import FORMATS
from toolgen.schema.loss import Loss
from toolgen.schema.providers import OPENAI_FORMATS, OPENAI_KEYWORDS

ANY_TYPE: Final = "any"


class Part(NamedTuple):
    """A subschema and its place in the author's schema."""

    schema: Any
    path: Path


Node = tuple[Part, ...]
"""A place in a value: all of these hold there."""

Extras = Literal["unsaid", "closed", "open"]
Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constraints:
    """One way to satisfy a place, its types not yet told apart. The empty draft accepts everything."""

    types: Types | None = None  # None: any
    values: tuple[Any, ...] | None = None
    is_const: bool = False
    keywords: Mapping[str, tuple[Types, Any]] = field(
        default_factory=dict
    )  # keyword → where it applies, value
    properties: Mapping[str, Node] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    extras: Extras = "unsaid"
    items: Node | None = None
    descriptions: tuple[str, ...] = ()
    losses: tuple[tuple[Types | None, Loss], ...] = ()  # for which types they count; None: for all


def merge(a: Constraints, b: Constraints, path: Path) -> Constraints | None:
    """What both accept, at `path`; None where that is nothing."""
    types = _both_types(a.types, b.types)
    if types == ():
        return None
    values = a.values if b.values is None else b.values
    if a.values is not None and b.values is not None:
        known = set(map(value_key, b.values))
        values = tuple(value for value in a.values if value_key(value) in known)
    if values == ():
        return None
    keywords, losses = _both_keywords(a, b, path)
    said = (a.extras, b.extras)
    extras: Extras = "closed" if "closed" in said else "open" if "open" in said else "unsaid"
    items = a.items if b.items is None else b.items if a.items is None else join(a.items, b.items)
    return Constraints(
        types,
        values,
        a.is_const or b.is_const,
        keywords,
        _both_properties(a, b),
        a.required | b.required,
        extras,
        items,
        (*a.descriptions, *b.descriptions),
        (*a.losses, *b.losses, *losses),
    )


def join(a: Node, b: Node) -> Node:
    """Both nodes at one place, each part once."""
    seen = {part.path for part in a}
    return (*a, *(part for part in b if part.path not in seen))


def _both_types(a: Types | None, b: Types | None) -> Types | None:
    if a is None or b is None:
        return b if a is None else a
    narrowed = []
    for name in a:
        if name in b or (name == "integer" and "number" in b):
            narrowed.append(name)
        elif name == "number" and "integer" in b:
            narrowed.append("integer")
    return tuple(dict.fromkeys(narrowed))


def _both_properties(a: Constraints, b: Constraints) -> dict[str, Node]:
    """A closed side forbids what it does not declare, even where the other side does."""
    names = [*a.properties, *(name for name in b.properties if name not in a.properties)]
    found: dict[str, Node] = {}
    for name in names:
        left, right = a.properties.get(name), b.properties.get(name)
        if left is not None and right is not None:
            found[name] = join(left, right)
        elif (left is None and a.extras == "closed") or (right is None and b.extras == "closed"):
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


def _both_keywords(
    a: Constraints, b: Constraints, path: Path
) -> tuple[dict[str, tuple[Types, Any]], list[tuple[Types | None, Loss]]]:
    found, losses = dict(a.keywords), list[tuple[Types | None, Loss]]()
    for keyword, (types, value) in b.keywords.items():
        if keyword not in found:
            found[keyword] = (types, value)
        elif keyword in _TIGHTER:
            found[keyword] = (types, _TIGHTER[keyword](found[keyword][1], value))
        elif found[keyword][1] != value:
            reason = f"Two values of `{keyword}` hold here, and strict mode can say one."
            losses.append((types, Loss(path, keyword, reason)))
    return found, losses


_NUMBERS: Final = ("integer", "number")

_ENFORCED: Final = "Strict mode cannot say `{keyword}`; toolgen still enforces it."

_DROPPED: Final[dict[str, tuple[Types | None, Callable[[Any], bool]]]] = {
    # keyword → the types that it constrains (None: all), and whether its value constrains anything
    "not": (None, lambda value: value is not False),
    "dependentRequired": (("object",), bool),
    "dependentSchemas": (("object",), bool),
    "dependencies": (("object",), bool),
    "propertyNames": (("object",), lambda value: value not in (True, {})),
    "minProperties": (("object",), bool),
    "maxProperties": (("object",), lambda value: True),
    "contains": (("array",), lambda value: True),
    "uniqueItems": (("array",), bool),
    "unevaluatedItems": (("array",), lambda value: value not in (True, {})),
    "minLength": (("string",), bool),
    "maxLength": (("string",), lambda value: True),
}


def own_constraints(schema: Mapping[str, Any], path: Path) -> Constraints:
    """The draft of `schema` alone, at `path` of the author's schema."""
    losses: list[tuple[Types | None, Loss]] = []
    for keyword, (types, says) in _DROPPED.items():
        if keyword in schema and says(schema[keyword]):
            losses.append((types, Loss(path, keyword, _ENFORCED.format(keyword=keyword))))
    if "if" in schema and ("then" in schema or "else" in schema):
        losses.append((None, Loss(path, "if", _ENFORCED.format(keyword="if"))))
    losses += [
        (None, Loss(path, keyword, f"Strict mode has no `{keyword}`.", fatal=True))
        for keyword in ("$dynamicRef", "$recursiveRef")
        if keyword in schema
    ]
    if path and "$ref" in schema and "$id" in schema:
        losses.append((None, Loss(path, "$id", "A `$ref` is relative to this `$id`.", fatal=True)))
    types = schema.get("type")
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if "const" in schema and "enum" in schema:
        losses.append((None, Loss(path, "enum", _ENFORCED.format(keyword="enum"))))
    description = schema.get("description")
    extras, object_losses = _extras(schema, path)
    items, array_losses = _items(schema, path)
    return Constraints(
        tuple(types) if isinstance(types, list) else (types,) if isinstance(types, str) else None,
        None if values is None else tuple(values),
        "const" in schema,
        _keywords(schema, path, losses),
        {
            name: (Part(child, (*path, "properties", name)),)
            for name, child in schema.get("properties", {}).items()
        },
        frozenset(schema.get("required", ())),
        extras,
        items,
        (description,) if isinstance(description, str) and description else (),
        (
            *losses,
            *((("object",), loss) for loss in object_losses),
            *((("array",), loss) for loss in array_losses),
        ),
    )


def _keywords(
    schema: Mapping[str, Any], path: Path, losses: list[tuple[Types | None, Loss]]
) -> dict[str, tuple[Types, Any]]:
    """Constraints that strict mode can say; `losses` gets what it cannot."""
    found: dict[str, tuple[Types, Any]] = {}
    for types in (("string",), _NUMBERS, ("array",)):
        for keyword in schema:
            if keyword in OPENAI_KEYWORDS[types[0]]:
                found[keyword] = (types, schema[keyword])
    if "format" in found and schema["format"] not in OPENAI_FORMATS:
        del found["format"]
        if schema["format"] in FORMATS:
            reason = f"Strict mode has no format {schema['format']!r}; toolgen still enforces it."
            losses.append((("string",), Loss(path, "format", reason)))
    return found


def _extras(schema: Mapping[str, Any], path: Path) -> tuple[Extras, list[Loss]]:
    """Whether properties that are not declared are accepted."""
    extra = schema.get("additionalProperties")
    patterns = schema.get("patternProperties") or {}
    losses = []
    if any(child is not False for child in patterns.values()):
        reason = "Strict mode has no properties whose names are not known."
        losses.append(Loss(path, "patternProperties", reason, fatal=True))
    elif patterns:
        losses.append(Loss(path, "patternProperties", _ENFORCED.format(keyword="patternProperties")))
    if extra is False:
        return "closed", losses
    unevaluated = schema.get("unevaluatedProperties", False)
    if extra is None and unevaluated is False:
        return "unsaid", losses
    keyword = "unevaluatedProperties" if extra is None else "additionalProperties"
    reason = "The object takes properties that are not declared; strict mode has only closed objects."
    return "open", [*losses, Loss(path, keyword, reason, fatal=True)]


def _items(schema: Mapping[str, Any], path: Path) -> tuple[Node | None, list[Loss]]:
    """What every item is; positions have no strict form."""
    items = schema.get("items")
    keyword = "prefixItems" if "prefixItems" in schema else "items" if isinstance(items, list) else None
    if keyword is not None:
        return None, [Loss(path, keyword, "Strict mode has no positional items.", fatal=True)]
    return (None if items is None else (Part(items, (*path, "items")),)), []
