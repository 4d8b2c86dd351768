"""The own keywords of one subschema: translated to those that Gemini has, the others put into words."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.document import JsonObject, json_type
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.providers import GEMINI_FORMATS, GEMINI_KEYWORDS

_MAX_LENGTH: Final = 200  # characters of a value in a description
_DESCRIBABLE: Final = (CONSTRAINING | {"default"}) - GEMINI_KEYWORDS - {"allOf"}
"""Keywords that a description can mention."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A subschema in Gemini's keywords, and the keywords that have no counterpart, with their values."""

    schema: JsonObject
    dropped: JsonObject


def translate(node: Mapping[str, Any]) -> Translated:
    """Translate the own keywords of `node`; subschemas are left as they are."""
    made = {key: value for key, value in node.items() if key in GEMINI_KEYWORDS}
    dropped = {key: value for key, value in node.items() if key in _DESCRIBABLE and _constrains(key, value)}
    if "const" in node:
        made = _list_values([node["const"]], "const", made, dropped)
    elif "enum" in node:
        made = _list_values(list(node["enum"]), "enum", made, dropped)
    if isinstance(made.get("format"), str) and made["format"] not in GEMINI_FORMATS:
        dropped["format"] = made.pop("format")
    _bounds(node, made, dropped)
    _items(made, dropped, node)
    if made.get("additionalProperties") is False and node.get("patternProperties"):
        del made["additionalProperties"]  # some are accepted: `patternProperties` says which
    return Translated(made, dropped)


def _constrains(keyword: str, value: Any) -> bool:
    """True if a keyword with this value constrains anything, or is a default."""
    if keyword in ("default", "const"):
        return True
    if keyword in ("minLength", "minProperties", "minContains"):
        return bool(value)
    if isinstance(value, bool):
        return value is (keyword in ("not", "uniqueItems"))
    return value not in ({}, [])


def _list_values(values: list[Any], keyword: str, made: JsonObject, dropped: JsonObject) -> JsonObject:
    """Return `made` with `values` as Gemini takes them: text and numbers in `enum`, null as a type."""
    made.pop("enum", None)
    dropped.pop("const", None)
    types = list(dict.fromkeys(map(json_type, values)))
    listed = [value for value in values if type(value) in (str, int, float)]
    if not {"array", "object"}.isdisjoint(types) or (
        "boolean" in types and not {True, False} <= {v for v in values if type(v) is bool}
    ):
        dropped[keyword] = values[0] if keyword == "const" else values
        return made
    if "boolean" not in types and listed and len(listed) == len(values):
        return {**_with_types(made, types), "enum": listed}
    if listed and "boolean" not in types and len(types) == 2:  # texts, or numbers, and null
        one = {"type": next(each for each in types if each != "null"), "enum": listed}
        made.pop("type", None)
        return {**made, "anyOf": [one, {"type": "null"}]} if "anyOf" not in made else made
    if listed:
        dropped[keyword] = values
    return _with_types(made, types)


def _with_types(made: JsonObject, types: list[str]) -> JsonObject:
    if "type" in made:
        return made
    return {"type": types[0] if len(types) == 1 else types, **made}


def _bounds(node: Mapping[str, Any], made: JsonObject, dropped: JsonObject) -> None:
    """Replace exclusive bounds of integers by inclusive ones: Gemini has no others."""
    if node.get("type") != "integer":
        return
    for keyword, inclusive, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        bound = node.get(keyword)
        if isinstance(bound, int | float) and not isinstance(bound, bool) and math.isfinite(bound):
            nearest = math.floor(bound) + 1 if step > 0 else math.ceil(bound) - 1
            other = made.get(inclusive)
            made[inclusive] = nearest if other is None else (max if step > 0 else min)(other, nearest)
            dropped.pop(keyword, None)


def _items(made: JsonObject, dropped: JsonObject, node: Mapping[str, Any]) -> None:
    """Rewrite draft-07's lists of items as `prefixItems`; drop `items: false`."""
    if isinstance(made.get("items"), list):
        made["prefixItems"] = made.pop("items")
        if isinstance(node.get("additionalItems"), Mapping):
            made["items"] = node["additionalItems"]
            dropped.pop("additionalItems", None)
        elif node.get("additionalItems") is False:
            dropped["additionalItems"] = False
    if isinstance(made.get("items"), bool) and made.pop("items") is False:
        dropped["items"] = False


def describe_dropped(dropped: JsonObject) -> dict[str, str]:
    """Return a text for each dropped keyword that is short, by itself; that of `default` by the keyword."""
    texts = {
        keyword: f"{keyword}: {text}"
        for keyword, value in dropped.items()
        if len(text := json.dumps(value, ensure_ascii=False)) <= _MAX_LENGTH
    }
    # A schema has many patterns if its parts have; of defaults it has the outermost.
    return {keyword if keyword == "default" else text: text for keyword, text in texts.items()}
