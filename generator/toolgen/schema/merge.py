"""What a schema says before types are told apart, and the intersection of two such sayings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from toolgen.schema import Loss
from toolgen.schema.pointer import Path

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
class Draft:
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


def same_type(value: object, name: str) -> bool:
    """Whether `value` is of the JSON type `name`."""
    if isinstance(value, bool):
        return name == "boolean"
    if isinstance(value, int):
        return name in ("integer", "number")
    if isinstance(value, float):
        return name == "number" or (name == "integer" and value.is_integer())
    kinds = {str: "string", type(None): "null", list: "array", dict: "object"}
    return kinds.get(type(value)) == name


def same_value(a: object, b: object) -> bool:
    """Whether two JSON values are equal: 1 is 1.0, and neither is true."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(value, b[key]) for key, value in a.items())
    return a == b


def value_key(value: object) -> object:
    """Something hashable that is equal for two JSON values where `same_value` is true."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *map(value_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((name, value_key(inner)) for name, inner in value.items()))
    return value


def merge(a: Draft, b: Draft, path: Path) -> Draft | None:
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
    return Draft(
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


def _both_properties(a: Draft, b: Draft) -> dict[str, Node]:
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
    a: Draft, b: Draft, path: Path
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
