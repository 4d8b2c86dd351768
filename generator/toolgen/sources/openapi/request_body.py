"""Read the request body of an operation: its media type, and its properties if they can be arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.runtime.http.media import ANY, FORM, MULTIPART, OCTETS, essence, is_binary, is_json, is_text
from toolgen.sources.openapi.document import Location, ObjectNode, shown_examples
from toolgen.sources.openapi.operation_arguments import OperationArguments
from toolgen.sources.openapi.operation_list import Operation
from toolgen.sources.openapi.schemas import Schema, SchemaConverter, definition_name

_PREFERRED = ("application/json", "application/merge-patch+json", "*/*", FORM, MULTIPART)
_FLATTENABLE = frozenset(
    ("type", "properties", "required", "additionalProperties", "allOf", "title", "description", "default",
     "deprecated", "example", "examples", "externalDocs", "xml", "$schema", "$id", "nullable")
)  # fmt: skip
"""Keywords that still hold if properties become arguments; any other one applies to the whole object."""
_SCALARS = ("string", "integer", "number", "boolean", ["string", "null"])


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
    forms = [each for each in content if essence(each) == MULTIPART]
    wire: dict[str, Any] = {}
    # JSON and other forms cannot have the bytes of a file: Django REST lists all three with one schema
    if forms and not is_binary(chosen) and _has_file(node / "content" / chosen / "schema", converter):
        if is_json(chosen) and content[chosen] == content[forms[0]]:
            wire["without_files"] = chosen
        chosen = forms[0]
    media = document.object_at(node / "content" / chosen)
    schema: Any = {}
    if "schema" in media.data:
        schema = converter.convert(document.follow_refs(media / "schema"), "request")
    media_type = concrete_media_type(chosen, schema)
    if others := [each for each in content if each not in (chosen, wire.get("without_files"))]:
        arguments.notes.append(f"the body is sent as {media_type}, never as {', '.join(others)}")
    wire["media_type"] = media_type
    if node.data.get("required") is True:
        wire["required"] = True
    examples = shown_examples(media, document, converter.repairs)
    if encoding := document.member(media, "encoding"):
        wire["encoding"] = encoding
    flat = _flattened(media, wire, converter)
    if flat is None:
        _add_whole(arguments, node, media, wire, examples, converter)
    elif flat.required and "required" not in wire:
        message = "the body is optional and has required properties: it is the argument 'body'"
        arguments.notes.append(message)
        if media_type.startswith(MULTIPART):  # in which files are looked for
            properties = OperationArguments()
            _add_properties(properties, flat, wire, examples, converter)
            _add_object(arguments, properties, wire)
        else:
            _add_whole(arguments, node, media, wire, examples, converter)
    else:
        _add_properties(arguments, flat, wire, examples, converter)
    if "*" in chosen and wire.get("binary") == [""]:
        wire["media_type"] = chosen  # the runtime finds the type of a file by its bytes
    arguments.body = wire


def _has_file(location: Location, converter: SchemaConverter) -> bool:
    """True if a property of an object schema is a file; False if there is no such schema."""
    flat = _CombinedProperties()
    try:
        is_object = _collect_properties(flat, location, converter)
    except LookupError:
        return False
    return is_object and any(is_file(each, converter) for each in flat.properties.values())


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
        has_bytes = "contentEncoding" in schema or "contentMediaType" in schema
        return OCTETS if has_bytes else "text/plain"
    return {"text": "text/plain", "multipart": MULTIPART}.get(main, OCTETS)


def _media_type_rank(media_type: str) -> int:
    kind = essence(media_type)
    if kind in _PREFERRED:
        return _PREFERRED.index(kind)
    return len(_PREFERRED) + (0 if is_json(kind) else 1 if is_text(kind) else 2)


def _flattened(
    media: ObjectNode, wire: dict[str, Any], converter: SchemaConverter
) -> _CombinedProperties | None:
    """Return the properties that can be arguments; None if the body must be one argument."""
    flat = _CombinedProperties()
    if "schema" not in media.data or is_text(wire["media_type"]):
        return None
    if not _collect_properties(flat, media / "schema", converter):
        return None
    return flat if flat.properties.keys() >= set(flat.required) else None


def _add_object(arguments: OperationArguments, properties: OperationArguments, wire: dict[str, Any]) -> None:
    """Add the body as one argument, an object of `properties`."""
    arguments.notes += properties.notes
    wire["argument"] = arguments.add("body", "body", properties.schema(), required=False)
    if properties.shown:
        arguments.shown[wire["argument"]] = properties.shown


def _add_properties(
    arguments: OperationArguments,
    flat: _CombinedProperties,
    wire: dict[str, Any],
    examples: list[Any],
    converter: SchemaConverter,
) -> None:
    """Add each property as an argument, and for each file one for its name."""
    names: dict[str, str] = {}  # property → argument
    files: dict[str, Any] = {}  # property → schema
    is_multipart = wire["media_type"].startswith(MULTIPART)
    parameters = set(arguments.properties)
    read_only = {name for name, at in flat.properties.items() if converter.has_flag(at, "readOnly")}
    for name, at in flat.properties.items():
        if name in read_only:
            continue
        schema = converter.convert(at, "request")
        if is_multipart and is_file(at, converter):
            schema = files[name] = file_schema(schema, converter)
        elif is_multipart and is_text(kind := _content_type(wire, name)) and not _is_scalar(schema):
            schema = _text_schema(schema, kind)
        names[name] = arguments.add(name, "body", schema, required=name in flat.required)
    if files:
        wire["binary"] = list(files)
        wire["filenames"] = {
            name: arguments.add(
                f"{names[name]}_filename",
                "body",
                filename_schema(name, schema),
                required=False,
            )
            for name, schema in files.items()
        }
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


def _content_type(wire: Mapping[str, Any], name: str) -> str:
    """Return the media type that `encoding` gives to a part of a form; empty if it gives none."""
    encoding = wire.get("encoding", {}).get(name)
    return str(encoding.get("contentType", "")) if isinstance(encoding, dict) else ""


def _is_scalar(schema: Any) -> bool:
    return isinstance(schema, dict) and (
        schema.get("type") in _SCALARS
        or schema.keys().isdisjoint(("type", "$ref", "allOf", "anyOf", "oneOf"))
    )


def _text_schema(schema: Any, media_type: str) -> Schema:
    """Return the schema of content that is sent as it is, such as XML, with what `schema` says about it."""
    about = schema.get("description") if isinstance(schema, dict) else None
    text = {"type": "string", "contentMediaType": essence(media_type)}
    return {**text, "description": about} if isinstance(about, str) else text


def _add_whole(
    arguments: OperationArguments,
    node: ObjectNode,
    media: ObjectNode,
    wire: dict[str, Any],
    examples: list[Any],
    converter: SchemaConverter,
) -> None:
    """Add the body as one argument."""
    media_type = wire["media_type"]
    schema: Any = {} if is_json(media_type) else {"type": "string"}
    meant = schema
    if "schema" in media.data:
        schema = converter.convert(media / "schema", "request")
        meant = converter.convert(converter.document.follow_refs(media / "schema"), "request")
    if is_text(media_type) and not _is_scalar(meant):
        schema = _text_schema(meant, media_type)
    elif is_binary(media_type) and _is_scalar(meant):
        schema = in_base64({"type": "string", **meant})
        wire["binary"] = [""]
    description = node.data.get("description")
    if isinstance(schema, dict) and isinstance(description, str):
        schema = {**schema, "description": description}
    wire["argument"] = arguments.add("body", "body", schema, required="required" in wire)
    if examples and "binary" not in wire:
        arguments.shown[wire["argument"]] = examples[0]


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
