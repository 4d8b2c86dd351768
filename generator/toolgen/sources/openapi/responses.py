"""Read the responses of an operation: the output schema and the declared errors."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final

from toolgen.runtime.http.media import is_binary, is_json, is_text
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.openapi.document import ObjectNode, shown_examples
from toolgen.sources.openapi.operation_list import Operation
from toolgen.sources.openapi.request_body import concrete_media_type, preferred_media_type
from toolgen.sources.openapi.schemas import ANNOTATIONS, Schema, SchemaBundler

_ERRORS: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    files("toolgen.sources.openapi").joinpath("statuses.toml").read_text("utf-8")
)
"""Status, or range of statuses, as an OpenAPI document writes it → its error in a spec."""

_MEANINGLESS = re.compile(r"(ok|success|(successful|default)? ?response|successful|no content|created)?")
_NO_CONTENT: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["status"],
    "properties": {"status": {"type": "integer", "description": "The HTTP status; there is no content."}},
}  # fmt: skip
_WITHOUT_CONTENT = (
    "204",
    "205",
)  # whatever the document says: https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5
_UNDESCRIBED: Schema = {"type": "object", "description": "Content that the API does not describe."}
_BINARY: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["media_type", "base64"],
    "properties": {
        "media_type": {"type": "string", "description": "What the content is."},
        "base64": {"type": "string", "contentEncoding": "base64", "description": "The content."},
    },
}
_ALWAYS_DECLARED = (
    {
        "code": "http_error",
        "description": "The API answers with an error of another kind.",
    },
    {"code": "unreachable", "description": "The API cannot be reached.", "retryable": True},
)


@dataclass(slots=True)
class OperationResponses:
    """The responses of one operation."""

    schema: Schema | None = None  # None: any JSON value
    wrapped: bool = False  # the content is the property `result` of the output
    accept: str = ""  # the media type to ask for
    returns: str = ""  # the description of the first successful response
    errors: list[dict[str, Any]] = field(default_factory=list)  # the field `errors` of the spec
    examples: list[Any] = field(default_factory=list)  # of the first successful response
    error_codes: dict[str, str] = field(default_factory=dict)  # 404, 4XX or default → code in `errors`


def read_responses(operation: Operation, bundler: SchemaBundler) -> OperationResponses:
    """Return the responses of `operation`. Raises `SourceError`."""
    read = OperationResponses()
    document = bundler.converter.document
    statuses = sorted(document.member(operation.node, "responses"), key=_status_rank)
    success_schemas: list[Schema | None] = []
    undescribed: list[str] = []  # statuses of successes whose content the document does not describe
    for status in statuses:
        if status.startswith("x-"):
            continue
        location = operation.node / "responses" / status
        is_success = status[:1] == "2" or (status == "default" and not success_schemas)
        try:
            response = document.object_at(location)
            if is_success:
                read.returns = read.returns if success_schemas else _meaningful_description(response)
                if status in _WITHOUT_CONTENT or operation.method == "head":
                    success_schemas.append(_NO_CONTENT)
                elif document.member(response, "content"):
                    success_schemas.append(_success_schema(read, response, bundler))
                else:
                    undescribed.append(status)
        except SourceError as error:
            lost = "what the API answers is not checked" if is_success else "the error has no description"
            bundler.converter.repairs.add(f"{error.message}: {lost}")
            response = ObjectNode({}, location)
            success_schemas += [None] if is_success else []
        if not is_success and (status[:1] in "45" or status == "default"):
            _add_error(read, status, response)
    if undescribed:
        success_schemas.append(_UNDESCRIBED if read.accept else None)
    read.schema = _any_of(success_schemas, bundler)
    if read.schema is not None and read.schema.get("type") != "object":
        read.wrapped = True
        read.schema = {
            "type": "object",
            "additionalProperties": False,
            "required": ["result"],
            "properties": {"result": read.schema},
        }
    declared = {error["code"] for error in read.errors}
    read.errors += [dict(error) for error in _ALWAYS_DECLARED if error["code"] not in declared]
    return read


def _status_rank(status: str) -> tuple[bool, bool]:
    """Order successes first and `default` last."""
    return (status[:1] != "2", status == "default")


def _success_schema(read: OperationResponses, response: ObjectNode, bundler: SchemaBundler) -> Schema | None:
    converter = bundler.converter
    media_type = preferred_media_type(list(converter.document.member(response, "content")))
    media = converter.document.object_at(response / "content" / media_type)
    schema: Any = {}
    if "schema" in media.data:
        schema = converter.convert(converter.document.follow_refs(media / "schema"), "response")
    if isinstance(schema, dict) and schema.keys() <= ANNOTATIONS:
        schema = {}  # as FastAPI describes an answer of type Any
    meant = concrete_media_type(media_type, schema)
    # of JSON without a schema, nothing is known: FastAPI describes each file and stream so
    is_open = ("*" in media_type and not is_binary(media_type)) if schema else is_json(media_type)
    # Django REST refuses to answer with a type that only its views know, as of a file; Rails, with `*/*`
    other = "" if is_json(meant) else ", application/json;q=0.5"
    read.accept = read.accept or (f"{meant}, */*;q=0.9" if is_open else f"{media_type}{other}")
    if not read.examples and not is_binary(meant):
        read.examples = shown_examples(media, converter.document, converter.repairs)
    if is_json(meant):
        return _with_object_type(schema, bundler) if isinstance(schema, dict) and schema else None
    return {"type": "string"} if is_text(meant) else _BINARY


def _with_object_type(schema: Schema, bundler: SchemaBundler) -> Schema:
    """Return the schema of an object with `type: object` at its root, where clients look for it."""
    bundled = bundler.bundle(schema, "response").schema  # raises where a definition refers to nothing
    if schema.get("type") == "object":
        return schema
    document = SchemaDocument(bundled)
    is_object = is_object_schema(document)
    # at the front where it is missing, as authors write it
    return {"type": "object"} | schema | {"type": "object"} if is_object else schema


def _meaningful_description(response: ObjectNode) -> str:
    """Return the description of a response; empty if it only says that it is one."""
    description = str(response.data.get("description") or "").strip()
    return "" if _MEANINGLESS.fullmatch(description.rstrip(".!").lower()) else description


def _any_of(schemas: list[Schema | None], bundler: SchemaBundler) -> Schema | None:
    """Return one schema for all of `schemas`; None if one of them accepts anything."""
    if not schemas or None in schemas:
        return None
    unique: list[Schema] = []
    for schema in schemas:
        if schema is not None and schema not in unique:
            unique.append(schema)
    return unique[0] if len(unique) == 1 else _with_object_type({"anyOf": unique}, bundler)


def _add_error(read: OperationResponses, status: str, response: ObjectNode) -> None:
    known = _ERRORS.get(status.upper(), {"code": f"http_{status.lower()}"})
    code = known["code"]
    if not all(c.isascii() and (c.isalnum() or c == "_") for c in code):
        return
    read.error_codes[status.upper() if status != "default" else status] = code
    if any(error["code"] == code for error in read.errors):
        return
    description = str(response.data.get("description") or "").strip()
    read.errors.append({"code": code, "description": description or f"The API answers {status}.", **known})
