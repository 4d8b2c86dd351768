"""The spec language as a JSON Schema for editors: that of the language, with the keywords of JSON Schema."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

from toolgen.base.files import read_named
from toolgen.runtime.definition.spec_schema import DEFINITIONS, SCHEMA_FIELDS
from toolgen.schema.keywords import FORMATS, TYPES


def editor_schema() -> dict[str, Any]:
    """Return the JSON Schema, of draft-07, of a file below the specs folder: a tool, or shared schemas."""
    parts = json.loads(read_named(Path(__file__).with_suffix(".json")))
    own = {"JsonSchema": _json_schema(parts["kinds"]), "Shared": parts["Shared"]}
    definitions = deepcopy({**DEFINITIONS, **own})
    for part in (definitions["Tool"], definitions["Stream"]):
        for name in (path[-1] for path in SCHEMA_FIELDS):
            if name in part["properties"]:
                part["properties"][name] = {
                    "description": part["properties"][name]["description"],
                    "allOf": [{"$ref": "#/definitions/JsonSchema"}, {"type": "object"}],
                }
    definitions = {name: _ordered(part) for name, part in definitions.items()} | own
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


def _json_schema(kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a schema, from `keywords.toml`; `kinds` are those of the values of keywords."""
    text = read_named(Path(__file__).with_name("keywords.toml")).decode()
    names = {"enum": [*TYPES]}
    kinds = {
        **kinds,
        "format": {"anyOf": [{"enum": sorted(FORMATS)}, kinds["text"]]},
        "type": {"anyOf": [names, {"type": "array", "items": names, "minItems": 1, "uniqueItems": True}]},
    }
    return {
        "title": "JSON Schema",
        "description": "JSON Schema 2020-12, or draft-07 where `$schema` says so.",
        "type": ["object", "boolean"],
        "properties": {
            keyword: {"description": row["description"], **kinds[row["kind"]]}
            for keyword, row in tomllib.loads(text).items()
        },
    }
