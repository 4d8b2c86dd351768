"""Read the request body of an operation: its media type, and its properties if they can be arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolgen.runtime.http.media import ANY, FORM, MULTIPART, OCTETS, essence, is_binary, is_json, is_text
from toolgen.sources.openapi.document import Location, ObjectNode, shown_examples
from toolgen.sources.openapi.operation_arguments import OperationArguments
from toolgen.sources.openapi.operation_list import Operation
from toolgen.sources.openapi.schemas import Schema, SchemaConverter

_PREFERRED = ("application/json", "application/merge-patch+json", "*/*", FORM, MULTIPART)
_FLATTENABLE = frozenset(
    ("type", "properties", "required", "additionalProperties", "allOf", "title", "description", "default",
     "deprecated", "example", "examples", "externalDocs", "xml", "$schema", "$id", "nullable")
)  # fmt: skip
"""Keywords that still hold if properties become arguments; any other one applies to the whole object."""

_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


@dataclass(slots=True)
class _CombinedProperties:
    """The properties of an object schema and of its `allOf`, by location."""

    properties: dict[str, Location] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    additional: Location | bool = False
    seen: set[Location] = field(default_factory=set)


def add_body(arguments: OperationArguments, operation: Operation, converter: SchemaConverter) -> None:
    """Add the request body of `operation` to its arguments, if it has one. Raises `SourceError`.

    Properties of an object become arguments if no constraint is lost by that; else the body is one argument.
    """
    if operation.node.data.get("requestBody") is None:
        return
    document = converter.document
    node = document.object_at(operation.node / "requestBody")
    content = document.member(node, "content")
    if not content:
        return
    chosen = preferred_media_type(list(content))
    media = document.object_at(node / "content" / chosen)
    media_type = "application/json" if chosen == "*/*" else chosen
    if len(content) > 1:
        others = ", ".join(other for other in content if other != chosen)
        arguments.notes.append(f"the body is sent as {media_type}, never as {others}")
    wire: dict[str, Any] = {"media_type": media_type}
    if node.data.get("required") is True:
        wire["required"] = True
    examples = shown_examples(media, document, converter.repairs)
    if flat := _flattened(arguments, media, wire, converter):
        binary = _add_properties(arguments, flat, wire, examples, converter)
    else:
        binary = _add_whole(arguments, node, media, wire, examples, converter)
    if encoding := document.member(media, "encoding"):
        wire["encoding"] = encoding
    if binary:
        wire["binary"] = binary
    arguments.body = wire


def preferred_media_type(media_types: list[str]) -> str:
    """Return the media type that is easiest to write: JSON, forms, text, then the first of the others."""
    return min(media_types, key=_media_type_rank)


def concrete_media_type(media_type: str, schema: Any) -> str:
    """Return a media type for content of a range, such as `*/*`; any other media type as it is.

    `schema` is that of the content.
    """
    kind = essence(media_type)
    if "*" not in kind:
        return media_type
    main, _, subtype = kind.partition("/")
    if subtype.startswith("*+"):
        return f"{'application' if main == '*' else main}/{subtype[2:]}"
    if kind in ANY:
        is_string = isinstance(schema, dict) and schema.get("type") in ("string", ["string", "null"])
        if not is_string:
            return "application/json"
        return OCTETS if _has_bytes(schema) else "text/plain"
    return {"text": "text/plain", "multipart": MULTIPART}.get(main, OCTETS)


def _has_bytes(schema: Schema) -> bool:
    return "contentEncoding" in schema or "contentMediaType" in schema


def _media_type_rank(media_type: str) -> int:
    kind = essence(media_type)
    if kind in _PREFERRED:
        return _PREFERRED.index(kind)
    return len(_PREFERRED) + (0 if is_json(kind) else 1 if is_text(kind) else 2)


def _flattened(
    arguments: OperationArguments, media: ObjectNode, wire: dict[str, Any], converter: SchemaConverter
) -> _CombinedProperties | None:
    """Return the properties that become arguments; None if the body must be one argument."""
    flat = _CombinedProperties()
    if "schema" not in media.data or not _collect_properties(flat, media / "schema", converter):
        return None
    if not flat.properties.keys() >= set(flat.required):
        return None
    if flat.required and "required" not in wire:
        message = "the body is optional and has required properties: it is the argument 'body'"
        arguments.notes.append(message)
        return None
    return flat


def _add_properties(
    arguments: OperationArguments,
    flat: _CombinedProperties,
    wire: dict[str, Any],
    examples: list[Any],
    converter: SchemaConverter,
) -> list[str]:
    """Add each property as an argument; return the names of those in base64."""
    names: dict[str, str] = {}  # property → argument
    files: list[str] = []
    parameters = set(arguments.properties)
    read_only = {name for name, at in flat.properties.items() if converter.has_flag(at, "readOnly")}
    for name, at in flat.properties.items():
        if name in read_only:
            continue
        is_file = wire["media_type"].startswith(MULTIPART) and _is_file(at, converter)
        schema = _file_schema(at, converter) if is_file else converter.convert(at, "request")
        names[name] = arguments.add(name, "body", schema, required=name in flat.required)
        files += [name] if is_file else []
    if renamed := {argument: name for name, argument in names.items() if argument != name}:
        wire["fields"] = renamed
    further = flat.additional
    arguments.additional = converter.convert(further, "request") if isinstance(further, Location) else further
    example = examples[0] if examples else None
    # a further property may have the name of a parameter
    if isinstance(example, dict) and parameters.isdisjoint(example.keys() - names.keys()):
        for key, value in example.items():
            if key not in read_only:
                arguments.shown[names.get(key, str(key))] = value
    return files


def _add_whole(
    arguments: OperationArguments,
    node: ObjectNode,
    media: ObjectNode,
    wire: dict[str, Any],
    examples: list[Any],
    converter: SchemaConverter,
) -> list[str]:
    """Add the body as one argument; return `[""]` if it is in base64."""
    media_type = wire["media_type"]
    binary: list[str] = []
    schema: Any = {} if is_json(media_type) else {"type": "string"}
    if "schema" in media.data:
        schema = converter.convert(media / "schema", "request")
    if isinstance(schema, dict) and is_binary(media_type):
        schema, binary = _in_base64({"type": "string", **schema}), [""]
    description = node.data.get("description")
    if isinstance(schema, dict) and isinstance(description, str):
        schema = {**schema, "description": description}
    wire["argument"] = arguments.add("body", "body", schema, required="required" in wire)
    if examples and not binary:
        arguments.shown[wire["argument"]] = examples[0]
    return binary


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
