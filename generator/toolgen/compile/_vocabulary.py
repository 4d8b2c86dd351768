"""The keywords of JSON Schema for editors: draft-07 words that describe both drafts that specs may use."""

from __future__ import annotations

from typing import Any

from toolgen.schema.keywords import FORMATS, TYPES

_SELF = {"$ref": "#/definitions/JsonSchema"}
_MAP = {"type": "object", "additionalProperties": _SELF}
_LIST = {"type": "array", "minItems": 1, "items": _SELF}
_COUNT = {"type": "integer", "minimum": 0}
_NUMBER = {"type": "number"}
_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": _TEXT, "uniqueItems": True}
_TYPES = list(TYPES)


def _about(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    # draft-07 ignores what stands beside a $ref
    return {"description": text, **({"allOf": [schema]} if "$ref" in schema else schema)}


_PROPERTIES: dict[str, Any] = {
    "$ref": _about(
        "Another schema: #/$defs/Name here, or path/to/shared.yaml#/$defs/Name, relative to this file.", _TEXT
    ),
    "$defs": _about("Schemas to refer to.", _MAP),
    "definitions": _about("Schemas to refer to, as draft-07 calls them.", _MAP),
    "$schema": _about("The draft; 2020-12 where it is left out.", _TEXT),
    "$id": _about("The schema's own address.", _TEXT),
    "$anchor": _about("A name to refer to: #name.", _TEXT),
    "$dynamicAnchor": _about("A name that schemas which extend this one may take over.", _TEXT),
    "$dynamicRef": _about("A reference to a dynamic anchor.", _TEXT),
    "$comment": _about("For the people who read this file.", _TEXT),
    "title": _about("A short name for people.", _TEXT),
    "description": _about("What it is; the model reads this.", _TEXT),
    "type": _about(
        'The kind of value, or a list of kinds. The one called null is written in quotes: "null".',
        {
            "anyOf": [
                {"enum": _TYPES},
                {"type": "array", "items": {"enum": _TYPES}, "minItems": 1, "uniqueItems": True},
            ]
        },
    ),
    "enum": _about("The values that are allowed.", {"type": "array"}),
    "const": _about("The only value that is allowed.", {}),
    "default": _about("Published for the reader; never filled in.", {}),
    "examples": _about("Values that fit.", {"type": "array"}),
    "deprecated": _about("Not to be used any more.", {"type": "boolean"}),
    "readOnly": _about("Set by the tool only.", {"type": "boolean"}),
    "writeOnly": _about("Never sent back.", {"type": "boolean"}),
    "properties": _about("The properties of an object and their schemas.", _MAP),
    "required": _about("Names of the properties that must be there.", _NAMES),
    "additionalProperties": _about("false: no other properties; or their schema.", _SELF),
    "patternProperties": _about("Schemas of properties whose names fit a pattern.", _MAP),
    "propertyNames": _about("What the names of properties must fit.", _SELF),
    "unevaluatedProperties": _about("Properties that no schema here has looked at.", _SELF),
    "minProperties": _about("The least number of properties.", _COUNT),
    "maxProperties": _about("The greatest number of properties.", _COUNT),
    "dependentRequired": _about(
        "Properties that must be there when another is.", {"type": "object", "additionalProperties": _NAMES}
    ),
    "dependentSchemas": _about("Schemas that hold when a property is there.", _MAP),
    "dependencies": _about(
        "dependentRequired and dependentSchemas, as draft-07 has them.", {"type": "object"}
    ),
    "items": _about(
        "The schema of the items of an array.", {"anyOf": [_SELF, {"type": "array", "items": _SELF}]}
    ),
    "prefixItems": _about("Schemas of the first items, one by one.", _LIST),
    "additionalItems": _about("Items behind the tuple, in draft-07.", _SELF),
    "unevaluatedItems": _about("Items that no schema here has looked at.", _SELF),
    "contains": _about("What at least one item must fit.", _SELF),
    "minContains": _about("The least number of items that fit `contains`.", _COUNT),
    "maxContains": _about("The greatest number of items that fit `contains`.", _COUNT),
    "minItems": _about("The least number of items.", _COUNT),
    "maxItems": _about("The greatest number of items.", _COUNT),
    "uniqueItems": _about("No item twice.", {"type": "boolean"}),
    "minLength": _about("The least number of characters.", _COUNT),
    "maxLength": _about("The greatest number of characters.", _COUNT),
    "pattern": _about(
        "A regular expression (ECMA-262) that is found in the text; single quotes are safest.", _TEXT
    ),
    "format": _about("What the text is; enforced.", {"anyOf": [{"enum": sorted(FORMATS)}, _TEXT]}),
    "contentEncoding": _about("How the text is encoded, base64 for one.", _TEXT),
    "contentMediaType": _about("The media type of the text.", _TEXT),
    "contentSchema": _about("The schema of what the text holds.", _SELF),
    "minimum": _about("The least number.", _NUMBER),
    "maximum": _about("The greatest number.", _NUMBER),
    "exclusiveMinimum": _about("The number must be greater than this.", _NUMBER),
    "exclusiveMaximum": _about("The number must be less than this.", _NUMBER),
    "multipleOf": _about("The number must be a multiple of this.", {"type": "number", "exclusiveMinimum": 0}),
    "allOf": _about("Every one of these schemas holds.", _LIST),
    "anyOf": _about("At least one of these schemas holds.", _LIST),
    "oneOf": _about("Exactly one of these schemas holds.", _LIST),
    "not": _about("This schema does not hold.", _SELF),
    "if": _about("Where this holds, `then` does; otherwise `else`.", _SELF),
    "then": _about("Holds where `if` does.", _SELF),
    "else": _about("Holds where `if` does not.", _SELF),
}

VOCABULARY: dict[str, Any] = {
    "title": "JSON Schema",
    "description": "JSON Schema 2020-12, or draft-07 where `$schema` says so.",
    "type": ["object", "boolean"],
    "properties": _PROPERTIES,
}
