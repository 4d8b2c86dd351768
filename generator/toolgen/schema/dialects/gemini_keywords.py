"""What one subschema says by its own keywords, in those that Gemini has; the others, in words."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.providers import GEMINI_FORMATS, GEMINI_KEYWORDS

JsonObject = dict[str, Any]

_LONGEST: Final = 200  # characters of a value in a description
_TYPES: Final = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_SPEAKABLE: Final = (CONSTRAINING - {"$ref", "properties", "items", "allOf", "anyOf", "oneOf"}) | {"default"}


@dataclass(slots=True)
class Words:
    """What has no keyword: keyword → value. Those that only others are rewritten from are not in it."""

    dropped: JsonObject = field(default_factory=dict)


def simplified(node: Mapping[str, Any], words: Words) -> JsonObject:
    """`node` in the keywords that Gemini has, its subschemas untouched; `words` gets what it has none for."""
    made = {key: value for key, value in node.items() if key in GEMINI_KEYWORDS}
    for keyword in _SPEAKABLE & node.keys() - GEMINI_KEYWORDS:
        if _says(keyword, node[keyword]):
            words.dropped[keyword] = node[keyword]
    words.dropped = {key: words.dropped[key] for key in node if key in words.dropped}
    if "const" in node:
        made = _one_of([node["const"]], "const", made, words)
    elif "enum" in node:
        made = _one_of(list(node["enum"]), "enum", made, words)
    if isinstance(made.get("format"), str) and made["format"] not in GEMINI_FORMATS:
        words.dropped["format"] = made.pop("format")
    _bounds(node, made, words)
    _items(made, words, node)
    if made.get("additionalProperties") is False and node.get("patternProperties"):
        del made["additionalProperties"]  # some are accepted: `patternProperties` says which
    return made


def _says(keyword: str, value: Any) -> bool:
    """Whether a keyword with this value asks for anything."""
    if keyword in ("default", "const"):
        return True
    if keyword in ("minLength", "minProperties", "minContains"):
        return bool(value)
    if isinstance(value, bool):
        return value is (keyword in ("not", "uniqueItems"))
    return value not in ({}, [])


def _one_of(values: list[Any], keyword: str, made: JsonObject, words: Words) -> JsonObject:
    """`made` with the values that it lists as Gemini lists them: texts and numbers, and null as a type."""
    made.pop("enum", None)
    words.dropped.pop("const", None)
    types = list(dict.fromkeys(_TYPES.get(type(value), "") for value in values))
    listed = [value for value in values if type(value) in (str, int, float)]
    if "" in types or ("boolean" in types and not {True, False} <= {v for v in values if type(v) is bool}):
        words.dropped[keyword] = values[0] if keyword == "const" else values
        return made
    if "boolean" not in types and listed and len(listed) == len(values):
        return {**_typed(made, types), "enum": listed}
    if listed and "boolean" not in types and len(types) == 2:  # texts, or numbers, and null
        one = {"type": next(each for each in types if each != "null"), "enum": listed}
        made.pop("type", None)
        return {**made, "anyOf": [one, {"type": "null"}]} if "anyOf" not in made else made
    if listed:
        words.dropped[keyword] = values
    return _typed(made, types)


def _typed(made: JsonObject, types: list[str]) -> JsonObject:
    if "type" in made:
        return made
    return {"type": types[0] if len(types) == 1 else types, **made}


def _bounds(node: Mapping[str, Any], made: JsonObject, words: Words) -> None:
    """Exclusive bounds as the next whole number where only those are accepted, else in words."""
    if node.get("type") != "integer":
        return
    for keyword, plain, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        bound = node.get(keyword)
        if isinstance(bound, int | float) and not isinstance(bound, bool) and math.isfinite(bound):
            nearest = math.floor(bound) + 1 if step > 0 else math.ceil(bound) - 1
            other = made.get(plain)
            made[plain] = nearest if other is None else (max if step > 0 else min)(other, nearest)
            words.dropped.pop(keyword, None)


def _items(made: JsonObject, words: Words, node: Mapping[str, Any]) -> None:
    """Draft-07's lists of items are `prefixItems`; `items: false` has only words."""
    if isinstance(made.get("items"), list):
        made["prefixItems"] = made.pop("items")
        if isinstance(node.get("additionalItems"), Mapping):
            made["items"] = node["additionalItems"]
            words.dropped.pop("additionalItems", None)
        elif node.get("additionalItems") is False:
            words.dropped["additionalItems"] = False
    if isinstance(made.get("items"), bool) and made.pop("items") is False:
        words.dropped["items"] = False


def said(printed: JsonObject, words: Words) -> JsonObject:
    """`printed` with what it lacks in its description, where that can be said in a line."""
    if "$ref" in printed:
        return {"$ref": printed["$ref"]}
    texts = [
        f"{keyword}: {text}"
        for keyword, value in words.dropped.items()
        if len(text := json.dumps(value, ensure_ascii=False)) <= _LONGEST
    ]
    if not texts:
        return printed
    more = f"({'; '.join(texts)})"
    description = f"{printed['description']} {more}" if printed.get("description") else more
    return {**printed, "description": description}
