"""Merge schemas that all apply, as those of `allOf` do, into one, as far as one schema can express it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from toolgen.schema.document import JsonObject

DROPPED: Final = "dropped"
"""Not a keyword: texts about what the dialect cannot say, with keys of which the first counts."""

_STRUCTURAL: Final = frozenset({"properties", "items", "prefixItems", "anyOf", "oneOf", "enum"})
_NEGLIGIBLE: Final = frozenset({"type", "title", "description", "required", DROPPED})


def merge_all_of(parts: Sequence[JsonObject]) -> tuple[JsonObject, list[str]]:
    """Return one schema for all of `parts`, and the keywords of which something is lost."""
    lost: list[str] = []
    made: JsonObject = {}
    for part in parts:
        if "$ref" in part or "$ref" in made:
            made = _reference_or_sibling(made, part, lost)
            continue
        for keyword, value in part.items():
            made[keyword] = _merge_keyword(keyword, made[keyword], value, lost) if keyword in made else value
    return made, lost


def _reference_or_sibling(one: JsonObject, other: JsonObject, lost: list[str]) -> JsonObject:
    """Choose between a reference and its sibling: Gemini allows nothing beside a `$ref`."""
    reference, sibling = (one, other) if "$ref" in one else (other, one)
    if _STRUCTURAL & sibling.keys():
        lost.append("$ref")
        return sibling
    lost += (keyword for keyword in sibling if keyword not in _NEGLIGIBLE)
    return reference


def _merge_keyword(keyword: str, one: Any, other: Any, lost: list[str]) -> Any:
    if one == other or keyword in ("title", "description"):
        return one
    if keyword in _MERGE_RULES:
        return _MERGE_RULES[keyword](one, other)
    if keyword in ("properties", "items", "additionalProperties"):
        return _merge_subschemas(keyword, one, other, lost)
    lost.append(keyword)
    return one


def _merge_subschemas(keyword: str, one: Any, other: Any, lost: list[str]) -> Any:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return False if False in (one, other) else other if one is True else one
    if keyword == "properties":
        return {
            name: _merge_subschemas("items", one[name], other[name], lost)
            if name in one and name in other
            else {**other, **one}[name]
            for name in {**one, **other}
        }
    both, inner = merge_all_of((one, other))
    lost += inner
    return both


def _common_types(one: Any, other: Any) -> Any:
    left = one if isinstance(one, list) else [one]
    right = other if isinstance(other, list) else [other]
    common = [each for each in left if each in right]
    common += ["integer"] if {"integer", "number"} <= {*left, *right} and "integer" not in common else []
    return common[0] if len(common) == 1 else common or one


_MERGE_RULES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "type": _common_types,
    "enum": lambda one, other: [value for value in one if value in other] or one,
    DROPPED: lambda one, other: {**one, **other, **one},
    "required": lambda one, other: list(dict.fromkeys([*one, *other])),
    "minimum": max,
    "maximum": min,
    "minItems": max,
    "maxItems": min,
}
