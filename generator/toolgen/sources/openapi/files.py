"""Files in the bodies of requests: which schemas are files, and what arguments have in their place."""

from __future__ import annotations

from typing import Any, Final

from toolgen.runtime.http.media import is_binary
from toolgen.sources.openapi.document import Location
from toolgen.sources.openapi.schemas import Schema, SchemaConverter, definition_name

_BASE64: Final = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_FILENAME: Final = {"type": "string", "pattern": r"^[^/\\\x00-\x1f\x7f]+$"}
_COMBINED: Final = {"allOf": any, "anyOf": all, "oneOf": all}
"""Keyword of branches → how many of them must be files. A text beside a file could not be told from one."""


def is_file(location: Location, converter: SchemaConverter, outer: tuple[Location, ...] = ()) -> bool:
    """True if the schema at `location` is a file, a list of files, or either of them or null."""
    document = converter.document
    here = document.follow_refs(location)
    node = document.value_at(here)
    if not isinstance(node, dict) or here in outer:
        return False
    raw = node.get("contentMediaType") if "contentEncoding" not in node else None
    if node.get("format") in ("binary", "byte") or (isinstance(raw, str) and is_binary(raw)):
        return True
    inner = (*outer, here)
    if isinstance(node.get("items"), dict):
        return is_file(here / "items", converter, inner)
    for key, enough in _COMBINED.items():
        branches = node.get(key)
        places = [
            here / key / index
            for index, each in enumerate(branches if isinstance(branches, list) else ())
            if not (isinstance(each, dict) and each.get("type") == "null")
        ]
        if places and enough(is_file(each, converter, inner) for each in places):
            return True
    return False


def file_schema(schema: Any, converter: SchemaConverter, outer: tuple[str, ...] = ()) -> Any:
    """Return the converted schema of a file with base64 in place of bytes, references replaced."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = definition_name(schema["$ref"])
        target = converter.definition("request", name)
        if target is None or name in outer or not isinstance(target.schema, dict):
            return schema
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return file_schema({**target.schema, **beside}, converter, (*outer, name))
    if "contentEncoding" in schema or "contentMediaType" in schema:
        return in_base64(schema)
    changed = {
        key: [file_schema(each, converter, outer) for each in schema[key]]
        for key in _COMBINED
        if key in schema
    }
    if "items" in schema:
        changed["items"] = file_schema(schema["items"], converter, outer)
    return {**schema, **changed}


def in_base64(schema: Schema) -> Schema:
    """Return the schema of a string with the pattern of base64, which `contentEncoding` does not enforce."""
    encoded = {**schema, "contentEncoding": "base64"}
    if "pattern" in schema:
        return {**encoded, "allOf": [*schema.get("allOf", []), {"pattern": _BASE64}]}
    return {**encoded, "pattern": _BASE64}


def filename_schema(name: str, schema: Any) -> Schema:
    """Return the schema of the argument for the name of a file, or for the names of a list of files."""
    if _is_list(schema):
        what = f"The names of the files in {name}, in their order, with their extensions."
        return {"type": "array", "items": _FILENAME, "description": what}
    return {**_FILENAME, "description": f"The name of the file {name}, with its extension."}


def _is_list(schema: Any) -> bool:
    return isinstance(schema, dict) and (
        "items" in schema or any(_is_list(each) for key in _COMBINED for each in schema.get(key, ()))
    )
