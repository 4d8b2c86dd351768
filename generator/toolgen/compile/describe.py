"""The spec language as a JSON Schema: what editors complete and explain. The models are the one source."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from toolgen.compile._vocabulary import VOCABULARY
from toolgen.data.spec import Spec

_SCHEMA_FIELDS = ("input_schema", "output_schema", "chunk_schema")


def describe() -> dict[str, Any]:
    """JSON Schema, draft-07 vocabulary, of one file below the specs folder: a tool, or shared schemas."""
    raw = Spec.model_json_schema(ref_template="#/definitions/{model}")
    definitions: dict[str, Any] = {name: _plain(part) for name, part in raw.pop("$defs").items()}
    tool = _plain(raw)
    tool["patternProperties"] = {"^x-": {"description": "Data of your own, carried into the catalogue."}}
    # Titles of the models are class names; a person reads these.
    tool["title"] = "Tool"
    tool["description"] = "One tool; keys that begin with `x-` are your own, and carried."
    del tool["properties"]["extensions"]
    definitions["Tool"] = tool
    definitions["JsonSchema"] = deepcopy(VOCABULARY)
    definitions["Shared"] = _shared()
    for part in (tool, definitions["Stream"]):
        for name in _SCHEMA_FIELDS:
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
            "$schema": {"type": "string", "description": "The draft; 2020-12 where it is left out."},
            "$comment": {"type": "string", "description": "For the people who read this file."},
            "$defs": {
                "type": "object",
                "description": "Names and their schemas.",
                "additionalProperties": {"$ref": "#/definitions/JsonSchema"},
            },
        },
    }


def _plain(node: Any) -> Any:
    """Without what pydantic adds for Python: titles made of names, null for what is left out."""
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
