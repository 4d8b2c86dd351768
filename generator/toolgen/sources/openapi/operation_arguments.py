"""Read the parameters of an operation, as properties of the one flat object that its arguments are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.proof.containment import Contained, check_containment
from toolgen.runtime.http.media import TOKEN
from toolgen.runtime.validation.fault_messages import HEADER_TEXT, PATH_TEXT
from toolgen.schema.providers import MAX_ARGUMENT_NAME
from toolgen.sources.openapi.document import ObjectNode, shown_examples
from toolgen.sources.openapi.operation_list import Operation
from toolgen.sources.openapi.schemas import Schema, SchemaConverter, definition_name

_LOCATIONS = ("path", "query", "querystring", "header", "cookie")
# Styles are implemented by hand (runtime/http/request.py): RFC 6570 has no deepObject, spaceDelimited or
# pipeDelimited, so a URI template library would cover only the easy half.
# https://spec.openapis.org/oas/v3.1.1#appendix-c-using-rfc6570-based-serialization
_DEFAULT_STYLES = {
    "path": "simple",
    "query": "form",
    "header": "simple",
    "cookie": "form",
    "querystring": "form",
}
_RESERVED_HEADER = re.compile(
    r"accept|authorization|connection|content-(length|type)|cookie|host|transfer-encoding"
)
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_PATH_PARAMETER = re.compile(r"\{([^{}/]+)\}")
_SENDABLE = {"path": PATH_TEXT, "header": HEADER_TEXT}


@dataclass(slots=True)
class OperationArguments:
    """The arguments of one operation, and how each is sent."""

    properties: dict[str, Any] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    parameters: list[dict[str, Any]] = field(default_factory=list)  # as in `x-openapi`
    body: dict[str, Any] | None = None  # as in `x-openapi`
    additional: Schema | bool = False  # `additionalProperties`
    notes: list[str] = field(default_factory=list)  # sentences for the user who imports it
    shown: dict[str, Any] = field(default_factory=dict)  # argument → value of its first example

    def schema(self) -> Schema:
        """Return the schema of the arguments, without `$defs`."""
        schema: Schema = {"type": "object", "additionalProperties": self.additional}
        if self.required:
            schema["required"] = self.required
        return {**schema, "properties": self.properties}

    def example(self) -> dict[str, Any] | None:
        """Return arguments as the document shows them; None if a required one has no example."""
        found = dict(self.shown)
        for name in self.required:
            schema = self.properties[name]
            listed = schema.get("examples") if isinstance(schema, dict) else None
            if name not in found and isinstance(listed, list) and listed:
                found[name] = listed[0]
        return found if found.keys() >= set(self.required) else None

    def add(self, wire_name: str, place: str, schema: Any, *, required: bool) -> str:
        """Add the argument for `wire_name` in `place` (query, body, …); return its name."""
        base = wire_name
        if _UNSAFE_NAME.search(base):
            base = _UNSAFE_NAME.sub("_", base).strip("_") or place
        base = base[:MAX_ARGUMENT_NAME]
        name = base
        if name in self.properties:
            name = f"{place}_{base}"[:MAX_ARGUMENT_NAME]
            number = 2
            while name in self.properties:
                name, number = f"{place}_{base}"[: MAX_ARGUMENT_NAME - 4] + f"_{number}", number + 1
        if name != wire_name:
            why = f", since {quoted(base)} is taken" if name != base else ""
            self.notes.append(f"{quoted(wire_name)} in the {place} is the argument {name!r}{why}")
        self.properties[name] = schema
        if required:
            self.required.append(name)
        return name


def read_parameters(operation: Operation, converter: SchemaConverter) -> OperationArguments:
    """Return path, query, header and cookie parameters as arguments. Raises `SourceError`."""
    arguments = OperationArguments()
    parameters = sorted(
        _list_parameters(operation, converter), key=lambda node: _LOCATIONS.index(node.data["in"])
    )
    for parameter in parameters:
        _add_parameter(arguments, parameter, converter)
    return arguments


def _list_parameters(operation: Operation, converter: SchemaConverter) -> Iterator[ObjectNode]:
    """Yield the parameters of the path item, as far as the operation does not override them, and its own."""
    document, repairs = converter.document, converter.repairs
    found: dict[tuple[str, str], ObjectNode] = {}  # by name and location
    for owner in (operation.path_item, operation.node):
        listed = owner.data.get("parameters") or []
        if not isinstance(listed, list):
            raise document.error(owner / "parameters", "must be a list")
        for index in range(len(listed)):
            parameter = document.object_at(owner / "parameters" / index)
            name, place = parameter.data.get("name"), parameter.data.get("in")
            if not isinstance(name, str) or not name or place not in _LOCATIONS:
                message = f"a parameter must have a `name` and an `in`: {', '.join(_LOCATIONS)}"
                raise document.error(parameter.location, message)
            is_reserved = _RESERVED_HEADER.fullmatch(name.lower())
            if place == "header" and (is_reserved or not TOKEN.fullmatch(name)):
                why = "is set by the HTTP client" if is_reserved else "is not a valid name"
                repairs.add(f"the header {quoted(name)} {why}: left out", parameter.location)
            else:
                found[name, place] = parameter
    path_names = list(dict.fromkeys(_PATH_PARAMETER.findall(operation.path)))
    for (name, place), parameter in found.items():
        if place == "path" and name not in path_names:
            repairs.add("a path parameter that is not in the path: left out", parameter.location)
            continue
        yield parameter
    for name in path_names:
        if (name, "path") not in found:
            message = f"{{{name}}} in the path has no parameter: read as a string"
            repairs.add(message, operation.node.location)
            yield ObjectNode({"name": name, "in": "path", "required": True}, operation.node.location)


def _add_parameter(arguments: OperationArguments, parameter: ObjectNode, converter: SchemaConverter) -> None:
    data = parameter.data
    place = data["in"]
    content = converter.document.member(parameter, "content")
    media_type = next(iter(content), "")  # that the value is written as
    described = converter.document.object_at(parameter / "content" / media_type) if content else parameter
    schema: Any = {} if content else {"type": "string"}
    if "schema" in described.data:
        schema = converter.convert(described / "schema", "request")
    required = data.get("required") is True or place == "path"
    shows = parameter if not data.keys().isdisjoint(("example", "examples")) else described
    examples = shown_examples(shows, converter.document, converter.repairs)
    sendable = _sendable(schema, place, converter) if place in _SENDABLE else schema
    argument = arguments.add(data["name"], place, _describe(sendable, data, examples), required=required)
    if examples:
        arguments.shown[argument] = examples[0]
    wire: dict[str, Any] = {"argument": argument, "name": data["name"], "in": place}
    style = data.get("style", _DEFAULT_STYLES[place])
    if style != _DEFAULT_STYLES[place]:
        wire["style"] = style
    explode_by_default = style in ("form", "cookie")
    explode = data.get("explode", explode_by_default)
    if explode != explode_by_default:
        wire["explode"] = explode
    if data.get("allowReserved") is True:
        wire["allow_reserved"] = True
    if media_type:
        wire["media_type"] = media_type
    arguments.parameters.append(wire)


def _sendable(schema: Any, place: str, converter: SchemaConverter) -> Any:
    """Return the schema of a parameter without texts and lists that the runtime refuses to send in `place`.

    They are valid for the document, but would lead to another path, or start another header.
    """
    if isinstance(schema, bool):
        return schema
    meant = schema
    if "$ref" in schema:
        target = converter.definition("request", definition_name(schema["$ref"]))
        meant = {**(target.schema if target and isinstance(target.schema, dict) else {}), **schema}
        del meant["$ref"]
    if meant.get("type") == "array":
        least = {"minItems": 1} if place == "path" and not meant.get("minItems") else {}
        items = {"items": _sendable(schema["items"], place, converter)} if "items" in schema else {}
        return {**schema, **least, **items}
    pattern = {"pattern": _SENDABLE[place]}
    if isinstance(check_containment(meant, pattern), Contained):
        return schema  # of numbers, of other values of an enum, or with a pattern of its own
    return (
        {**schema, "allOf": [*schema.get("allOf", ()), pattern]} if "pattern" in schema else schema | pattern
    )


def _describe(schema: Any, parameter: dict[str, Any], examples: list[Any]) -> Any:
    """Return `schema` with the description and examples of `parameter`, which describe this use of it."""
    if isinstance(schema, bool):
        return schema
    described = dict(schema)
    if isinstance(parameter.get("description"), str) and parameter["description"]:
        described.pop("description", None)  # so that it comes after the other keywords
        described["description"] = parameter["description"]
    if parameter.get("deprecated") is True:
        described["deprecated"] = True
    if examples:
        described["examples"] = examples
    return described
