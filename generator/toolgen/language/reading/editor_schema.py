"""The spec language as a JSON Schema for editors: that of the language, with the keywords of JSON Schema."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

from toolgen.base.files import read_named
from toolgen.runtime.definition.spec_schema import DEFINITIONS, SCHEMA_FIELDS
from toolgen.schema.keywords import FORMATS, TYPES


def editor_schema() -> dict[str, Any]:
    """Return the JSON Schema, of draft-07, of a file below the specs folder: a tool, or shared schemas."""
    definitions = deepcopy({**DEFINITIONS, "JsonSchema": _json_schema(), "Shared": _shared()})
    for part in (definitions["Tool"], definitions["Stream"]):
        for name in (path[-1] for path in SCHEMA_FIELDS):
            if name in part["properties"]:
                part["properties"][name] = {
                    "description": part["properties"][name]["description"],
                    "allOf": [{"$ref": "#/definitions/JsonSchema"}, {"type": "object"}],
                }
    definitions = {name: _ordered(part) for name, part in definitions.items()} | {
        name: definitions[name] for name in ("JsonSchema", "Shared")
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


_FIRST = ("title", "description", "type")
_LAST = ("required", "patternProperties", "default")


def _ordered(part: Any) -> Any:
    """Return the schema with what people read first at the beginning."""
    if isinstance(part, list):
        return [_ordered(item) for item in part]
    if not isinstance(part, dict):
        return part
    keys = [*_FIRST, *(key for key in sorted(part) if key not in (*_FIRST, *_LAST)), *_LAST]
    ordered = {key: _ordered(part[key]) for key in keys if key in part}
    if "properties" in part:
        ordered["properties"] = {name: _ordered(field) for name, field in part["properties"].items()}
    elif ordered.get("additionalProperties") is True:
        del ordered["additionalProperties"]  # it says nothing
    return ordered


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


_SELF = {"$ref": "#/definitions/JsonSchema"}
_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": _TEXT, "uniqueItems": True}
_KINDS: dict[str, dict[str, Any]] = {
    "any": {},
    "array": {"type": "array"},
    "boolean": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 0},
    "list": {"type": "array", "minItems": 1, "items": _SELF},
    "map": {"type": "object", "additionalProperties": _SELF},
    "names": _NAMES,
    "number": {"type": "number"},
    "object": {"type": "object"},
    "schema": {"allOf": [_SELF]},  # draft-07 ignores what stands beside a $ref
    "text": _TEXT,
    "dependentRequired": {"type": "object", "additionalProperties": _NAMES},
    "format": {"anyOf": [{"enum": sorted(FORMATS)}, _TEXT]},
    "items": {"anyOf": [_SELF, {"type": "array", "items": _SELF}]},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "type": {
        "anyOf": [
            {"enum": [*TYPES]},
            {"type": "array", "items": {"enum": [*TYPES]}, "minItems": 1, "uniqueItems": True},
        ]
    },
}
"""Kinds of values that keywords have, and the values of keywords with one of their own."""


def _json_schema() -> dict[str, Any]:
    """Return the schema of a schema, from `keywords.toml`."""
    text = read_named(Path(__file__).with_name("keywords.toml")).decode()
    return {
        "title": "JSON Schema",
        "description": "JSON Schema 2020-12, or draft-07 where `$schema` says so.",
        "type": ["object", "boolean"],
        "properties": {
            keyword: {"description": row["description"], **_KINDS[row["kind"]]}
            for keyword, row in tomllib.loads(text).items()
        },
    }
