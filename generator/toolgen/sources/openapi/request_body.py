"""Read the request body of an operation: its media type, and its properties if they can be arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolgen.runtime.http.media import FORM, MULTIPART, is_binary, is_json, is_text
from toolgen.sources.openapi.document import Location, NamedValues, named_values
from toolgen.sources.openapi.operation_list import Operation
from toolgen.sources.openapi.schemas import Schema, SchemaConverter

_PREFERRED = ("application/json", "application/merge-patch+json", "*/*", FORM, MULTIPART)
_FLATTENABLE = frozenset(
    ("type", "properties", "required", "additionalProperties", "allOf", "title", "description", "default",
     "deprecated", "example", "examples", "externalDocs", "xml", "$schema", "$id", "nullable")
)  # fmt: skip
"""Keywords that still hold if properties become arguments; any other one applies to the whole object."""

_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


@dataclass(frozen=True, slots=True)
class BodyProperty:
    """One property of a request body."""

    schema: Any
    required: bool


@dataclass(slots=True)
class RequestBody:
    """A request body: its `properties` by name if they can be arguments, else one `schema`."""

    media_type: str
    required: bool
    schema: Any = True
    properties: dict[str, BodyProperty] | None = None
    additional: Schema | bool = False  # `additionalProperties`
    encoding: dict[str, Any] = field(default_factory=dict)
    binary: list[str] = field(default_factory=list)  # properties in base64; "" is the body itself
    notes: list[str] = field(default_factory=list)
    examples: NamedValues = field(default_factory=dict)
    read_only: list[str] = field(default_factory=list)  # names of properties that are not sent


@dataclass(slots=True)
class _CombinedProperties:
    """The properties of an object schema and of its `allOf`, by location."""

    properties: dict[str, Location] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    additional: Location | bool = False
    seen: set[Location] = field(default_factory=set)


def read_request_body(operation: Operation, converter: SchemaConverter) -> RequestBody | None:
    """Return the request body of `operation`, None if it has none. Raises `SourceError`."""
    if "requestBody" not in operation.node.data:
        return None
    document = converter.document
    node = document.object_at(operation.node / "requestBody")
    content = document.member(node, "content")
    if not content:
        return None
    media_type = preferred_media_type(list(content))
    media = document.object_at(node / "content" / media_type)
    body = RequestBody(
        "application/json" if media_type == "*/*" else media_type, node.data.get("required") is True
    )
    if len(content) > 1:
        others = ", ".join(other for other in content if other != media_type)
        body.notes.append(f"the body is sent as {body.media_type}, never as {others}")
    body.encoding = document.member(media, "encoding")
    body.examples = named_values(media, document, converter.repairs)
    if "schema" not in media.data:
        body.schema = {} if is_json(media_type) else {"type": "string"}
        if is_binary(media_type):
            body.schema, body.binary = _in_base64(body.schema), [""]
        return body
    _read_schema(body, media / "schema", converter)
    description = node.data.get("description")
    if isinstance(body.schema, dict) and isinstance(description, str) and body.properties is None:
        body.schema = {**body.schema, "description": description}
    return body


def preferred_media_type(media_types: list[str]) -> str:
    """Return the media type that is easiest to write: JSON, forms, text, then the first of the others."""
    return min(media_types, key=_media_type_rank)


def _media_type_rank(media_type: str) -> int:
    essence = media_type.partition(";")[0].strip().lower()
    if essence in _PREFERRED:
        return _PREFERRED.index(essence)
    return len(_PREFERRED) + (0 if is_json(essence) else 1 if is_text(essence) else 2)


def _read_schema(body: RequestBody, location: Location, converter: SchemaConverter) -> None:
    flat = _CombinedProperties()
    flattens = _collect_properties(flat, location, converter) and flat.properties.keys() >= set(flat.required)
    if flattens and not body.required and flat.required:
        flattens = False
        body.notes.append("the body is optional and has required properties: it is the argument 'body'")
    if not flattens:
        body.schema = converter.convert(location, "request")
        if is_binary(body.media_type) and isinstance(body.schema, dict):
            body.schema, body.binary = _in_base64({"type": "string", **body.schema}), [""]
        return
    body.properties = {}
    for name, at in flat.properties.items():
        if converter.has_flag(at, "readOnly"):
            body.read_only.append(name)
        else:
            is_file = body.media_type.startswith(MULTIPART) and _is_file(at, converter)
            schema = _file_schema(at, converter) if is_file else converter.convert(at, "request")
            body.properties[name] = BodyProperty(schema, name in flat.required)
            body.binary += [name] if is_file else []
    additional = flat.additional
    body.additional = (
        converter.convert(additional, "request") if isinstance(additional, Location) else additional
    )


def _collect_properties(flat: _CombinedProperties, location: Location, converter: SchemaConverter) -> bool:
    """Collect the properties of the schema at `location`; False if flattening would lose a constraint."""
    document = converter.document
    here = document.follow_refs(location)
    node = document.value_at(here)
    if not isinstance(node, dict) or node.get("nullable") is True or here in flat.seen:
        return False
    flat.seen.add(here)
    if any(key not in _FLATTENABLE and not key.startswith("x-") for key in node):
        return False
    branches, properties = node.get("allOf", []), node.get("properties", {})
    required = node.get("required", [])
    if not (isinstance(branches, list) and isinstance(properties, dict) and isinstance(required, list)):
        return False
    if not all(isinstance(name, str) for name in required):
        return False
    if node.get("type", "object") != "object" or not (branches or properties):
        return False
    additional = node.get("additionalProperties", False)
    is_combined = branches or location.path[-2:-1] == ("allOf",)
    if (is_combined and "additionalProperties" in node) or not properties.keys().isdisjoint(flat.properties):
        return False
    flat.properties |= {name: here / "properties" / name for name in properties}
    flat.required += required
    if isinstance(additional, dict):
        flat.additional = here / "additionalProperties"
    elif additional is True and not isinstance(flat.additional, Location):
        flat.additional = True
    return all(_collect_properties(flat, here / "allOf" / index, converter) for index in range(len(branches)))


def _is_file(location: Location, converter: SchemaConverter) -> bool:
    """True if a part of a multipart form is a file, or a list of files."""
    document = converter.document
    here = document.follow_refs(location)
    node = document.value_at(here)
    if isinstance(node, dict) and node.get("type") == "array" and "items" in node:
        node = document.value_at(document.follow_refs(here / "items"))
    if not isinstance(node, dict):
        return False
    has_raw_media_type = "contentMediaType" in node and "contentEncoding" not in node
    return node.get("format") in ("binary", "byte") or has_raw_media_type


def _file_schema(location: Location, converter: SchemaConverter) -> Schema | bool:
    """Return the schema of a file, or of a list of files, whose references are replaced by their schemas."""
    document = converter.document
    here = document.follow_refs(location)
    schema = converter.convert(here, "request")
    if isinstance(schema, bool):
        return schema
    description = document.value_at(location).get("description")
    schema |= {"description": description} if isinstance(description, str) else {}
    if schema.get("type") != "array":
        return _in_base64(schema)
    items = converter.convert(document.follow_refs(here / "items"), "request")
    return {**schema, "items": _in_base64(items) if isinstance(items, dict) else items}


def _in_base64(schema: Schema) -> Schema:
    """Return the schema of a string with the pattern of base64, which `contentEncoding` does not enforce."""
    encoded = {**schema, "contentEncoding": "base64"}
    if "pattern" in schema:
        return {**encoded, "allOf": [*schema.get("allOf", []), {"pattern": _BASE64}]}
    return {**encoded, "pattern": _BASE64}
