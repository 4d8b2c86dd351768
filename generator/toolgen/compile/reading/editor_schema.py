"""The spec language as a JSON Schema for editors, derived from the models of the language."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen.data.spec import SCHEMA_FIELDS, Spec
from toolgen.schema.keywords import FORMATS, TYPES


def editor_schema() -> dict[str, Any]:
    """Return the JSON Schema, of draft-07, of a file below the specs folder: a tool, or shared schemas."""
    raw = Spec.model_json_schema(ref_template="#/definitions/{model}")
    definitions: dict[str, Any] = {name: _plain(part) for name, part in raw.pop("$defs").items()}
    tool = _plain(raw)
    tool["patternProperties"] = {"^x-": {"description": "Data of your own, carried into the catalogue."}}
    # Titles of the models are class names; a person reads these.
    tool["title"] = "Tool"
    tool["description"] = "One tool; keys that begin with `x-` are your own, and carried."
    del tool["properties"]["extensions"]
    definitions["Tool"] = tool
    definitions["JsonSchema"] = deepcopy(_KEYWORDS)
    definitions["Shared"] = _shared()
    for part in (tool, definitions["Stream"]):
        for name in (path[-1] for path in SCHEMA_FIELDS):
            if name in part["properties"]:
                part["properties"][name] = {
                    "description": part["properties"][name]["description"],
                    "allOf": [{"$ref": "#/definitions/JsonSchema"}, {"type": "object"}],
                }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "toolgen spec, version 1",
        "description": "One tool per file; or, with `$defs` at the top, schemas that tools share.",
        "type": "object",
        "if": {"required": ["$defs"], "not": {"required": ["name"]}},
        "then": {"$ref": "#/definitions/Shared"},
        "else": {"$ref": "#/definitions/Tool"},
        "definitions": dict(sorted(definitions.items())),
    }


def _shared() -> dict[str, Any]:
    return {
        "title": "Shared schemas",
        "description": "Schemas that tools take from here by `$ref`.",
        "type": "object",
        "additionalProperties": False,
        "required": ["$defs"],
        "properties": {
            "$schema": {"type": "string", "description": "The draft; 2020-12 by default."},
            "$comment": {"type": "string", "description": "For the people who read this file."},
            "$defs": {
                "type": "object",
                "description": "Names and their schemas.",
                "additionalProperties": {"$ref": "#/definitions/JsonSchema"},
            },
        },
    }


def _plain(node: Any) -> Any:
    """Return the schema without what pydantic adds: titles made of names, null for optional fields."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    copy = {
        key: _plain(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))
    }
    if "properties" in copy:
        copy["properties"] = {name: _field(field) for name, field in node["properties"].items()}
    return copy


def _field(field: dict[str, Any]) -> dict[str, Any]:
    copy: dict[str, Any] = _plain(field)
    choices = [choice for choice in copy.get("anyOf", ()) if choice != {"type": "null"}]
    if "anyOf" in copy and len(choices) == 1:
        del copy["anyOf"]
        copy = {**choices[0], **copy} if "$ref" not in choices[0] else {**copy, **choices[0]}
    elif choices:
        copy["anyOf"] = choices
    if copy.get("default", "") is None or isinstance(copy.get("default"), dict):
        del copy["default"]
    if "$ref" in copy and len(copy) > 1:  # draft-07 ignores what stands beside a $ref
        copy["allOf"] = [{"$ref": copy.pop("$ref")}]
    return copy


# The keywords of JSON Schema, for both drafts that specs may use.
_SELF = {"$ref": "#/definitions/JsonSchema"}
_MAP = {"type": "object", "additionalProperties": _SELF}
_LIST = {"type": "array", "minItems": 1, "items": _SELF}
_COUNT = {"type": "integer", "minimum": 0}
_NUMBER = {"type": "number"}
_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": _TEXT, "uniqueItems": True}
_TYPES = list(TYPES)


def _described(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    # draft-07 ignores what stands beside a $ref
    return {"description": text, **({"allOf": [schema]} if "$ref" in schema else schema)}


_PROPERTIES: dict[str, Any] = {
    "$ref": _described(
        "Another schema: #/$defs/Name here, or path/to/shared.yaml#/$defs/Name, relative to this file.", _TEXT
    ),
    "$defs": _described("Schemas to refer to.", _MAP),
    "definitions": _described("Schemas to refer to, as draft-07 calls them.", _MAP),
    "$schema": _described("The draft; 2020-12 by default.", _TEXT),
    "$id": _described("The schema's own address.", _TEXT),
    "$anchor": _described("A name to refer to: #name.", _TEXT),
    "$dynamicAnchor": _described("A name that schemas which extend this one may take over.", _TEXT),
    "$dynamicRef": _described("A reference to a dynamic anchor.", _TEXT),
    "$comment": _described("For the people who read this file.", _TEXT),
    "title": _described("A short name for people.", _TEXT),
    "description": _described("What it is; the model reads this.", _TEXT),
    "type": _described(
        'The kind of value, or a list of kinds. The one called null is written in quotes: "null".',
        {
            "anyOf": [
                {"enum": _TYPES},
                {"type": "array", "items": {"enum": _TYPES}, "minItems": 1, "uniqueItems": True},
            ]
        },
    ),
    "enum": _described("The values that are allowed.", {"type": "array"}),
    "const": _described("The only value that is allowed.", {}),
    "default": _described("Published for the reader; never filled in.", {}),
    "examples": _described("Values that fit.", {"type": "array"}),
    "deprecated": _described("Not to be used any more.", {"type": "boolean"}),
    "readOnly": _described("Set by the tool only.", {"type": "boolean"}),
    "writeOnly": _described("Never sent back.", {"type": "boolean"}),
    "properties": _described("The properties of an object and their schemas.", _MAP),
    "required": _described("Names of the properties that must be there.", _NAMES),
    "additionalProperties": _described("false: no other properties; or their schema.", _SELF),
    "patternProperties": _described("Schemas of properties whose names fit a pattern.", _MAP),
    "propertyNames": _described("What the names of properties must fit.", _SELF),
    "unevaluatedProperties": _described("Properties that no schema here has looked at.", _SELF),
    "minProperties": _described("The least number of properties.", _COUNT),
    "maxProperties": _described("The greatest number of properties.", _COUNT),
    "dependentRequired": _described(
        "Properties that must be there when another is.", {"type": "object", "additionalProperties": _NAMES}
    ),
    "dependentSchemas": _described("Schemas that hold when a property is there.", _MAP),
    "dependencies": _described(
        "dependentRequired and dependentSchemas, as draft-07 has them.", {"type": "object"}
    ),
    "items": _described(
        "The schema of the items of an array.", {"anyOf": [_SELF, {"type": "array", "items": _SELF}]}
    ),
    "prefixItems": _described("Schemas of the first items, one by one.", _LIST),
    "additionalItems": _described("Items behind the tuple, in draft-07.", _SELF),
    "unevaluatedItems": _described("Items that no schema here has looked at.", _SELF),
    "contains": _described("What at least one item must fit.", _SELF),
    "minContains": _described("The least number of items that fit `contains`.", _COUNT),
    "maxContains": _described("The greatest number of items that fit `contains`.", _COUNT),
    "minItems": _described("The least number of items.", _COUNT),
    "maxItems": _described("The greatest number of items.", _COUNT),
    "uniqueItems": _described("No item twice.", {"type": "boolean"}),
    "minLength": _described("The least number of characters.", _COUNT),
    "maxLength": _described("The greatest number of characters.", _COUNT),
    "pattern": _described(
        "A regular expression (ECMA-262) that is found in the text; single quotes are safest.", _TEXT
    ),
    "format": _described("What the text is; enforced.", {"anyOf": [{"enum": sorted(FORMATS)}, _TEXT]}),
    "contentEncoding": _described("How the text is encoded, base64 for one.", _TEXT),
    "contentMediaType": _described("The media type of the text.", _TEXT),
    "contentSchema": _described("The schema of what the text holds.", _SELF),
    "minimum": _described("The least number.", _NUMBER),
    "maximum": _described("The greatest number.", _NUMBER),
    "exclusiveMinimum": _described("The number must be greater than this.", _NUMBER),
    "exclusiveMaximum": _described("The number must be less than this.", _NUMBER),
    "multipleOf": _described(
        "The number must be a multiple of this.", {"type": "number", "exclusiveMinimum": 0}
    ),
    "allOf": _described("Every one of these schemas holds.", _LIST),
    "anyOf": _described("At least one of these schemas holds.", _LIST),
    "oneOf": _described("Exactly one of these schemas holds.", _LIST),
    "not": _described("This schema does not hold.", _SELF),
    "if": _described("Where this holds, `then` does; otherwise `else`.", _SELF),
    "then": _described("Holds where `if` does.", _SELF),
    "else": _described("Holds where `if` does not.", _SELF),
}

_KEYWORDS: dict[str, Any] = {
    "title": "JSON Schema",
    "description": "JSON Schema 2020-12, or draft-07 where `$schema` says so.",
    "type": ["object", "boolean"],
    "properties": _PROPERTIES,
}
