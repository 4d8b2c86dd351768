"""Several schemas that hold together, as one: what `allOf` means, as far as one schema can say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

JsonObject = dict[str, Any]

_SHAPE: Final = frozenset({"properties", "items", "prefixItems", "anyOf", "oneOf", "enum"})
_UNMISSED: Final = frozenset({"type", "title", "description", "required"})


def joined(parts: Sequence[JsonObject]) -> tuple[JsonObject, list[str]]:
    """One schema for all of `parts`, and the keywords of which it could not say everything."""
    if not parts:
        return {}, []
    clash: list[str] = []
    made = dict(parts[0])
    for part in parts[1:]:
        if "$ref" in part or "$ref" in made:
            made = _instead(made, part, clash)
            continue
        for keyword, value in part.items():
            made[keyword] = _both(keyword, made[keyword], value, clash) if keyword in made else value
    return made, clash


def _instead(one: JsonObject, other: JsonObject, clash: list[str]) -> JsonObject:
    """Of two schemas, one of them a reference, that which says more: nothing may stand beside a reference."""
    reference, plain = (one, other) if "$ref" in one else (other, one)
    if _SHAPE & plain.keys():
        clash.append("$ref")
        return plain
    clash += (keyword for keyword in plain if keyword not in _UNMISSED)
    return reference


def _both(keyword: str, one: Any, other: Any, clash: list[str]) -> Any:
    if one == other or keyword in ("title", "description"):
        return one
    if keyword in _RULES:
        return _RULES[keyword](one, other)
    if keyword in ("properties", "items", "additionalProperties"):
        return _inside(keyword, one, other, clash)
    clash.append(keyword)
    return one


def _inside(keyword: str, one: Any, other: Any, clash: list[str]) -> Any:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return False if False in (one, other) else other if one is True else one
    if keyword == "properties":
        return {
            name: _inside("items", one[name], other[name], clash)
            if name in one and name in other
            else {**other, **one}[name]
            for name in {**one, **other}
        }
    both, inner = joined((one, other))
    clash += inner
    return both


def _types(one: Any, other: Any) -> Any:
    left = one if isinstance(one, list) else [one]
    right = other if isinstance(other, list) else [other]
    common = [each for each in left if each in right]
    common += ["integer"] if {"integer", "number"} <= {*left, *right} and "integer" not in common else []
    return common[0] if len(common) == 1 else common or one


def _values(one: list[Any], other: list[Any]) -> list[Any]:
    return [value for value in one if value in other] or one


_RULES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "type": _types,
    "enum": _values,
    "required": lambda one, other: list(dict.fromkeys([*one, *other])),
    "minimum": max,
    "maximum": min,
    "minItems": max,
    "maxItems": min,
}
