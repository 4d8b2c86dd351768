"""Schemas of OpenAPI as JSON Schema, enforced in requests and responses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from toolgen.language.source import Source
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.http.request import in_header, in_path
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.sources.imported_tool import ImportedTool, SourceError
from toolgen.sources.openapi.parse import parse_document
from toolgen.sources.openapi.specs import ImportOptions, import_openapi
from toolgen.sources.spec_names import ExistingNames

from tests.importers.openapi.conftest import document
from tests.samples import load_beside


def imported(data: dict[str, Any], files: dict[str, Any] | None = None, **options: Any) -> list[ImportedTool]:
    """Import a document with further `files`; return its tools."""

    def load(path: str) -> Source:
        if files is None or path not in files:
            raise SourceError(f"there is no file {path}")
        return parse_document(json.dumps(files[path]).encode(), path)

    return import_openapi(
        parse_document(json.dumps(data).encode(), "api.json"),
        load,
        options=ImportOptions(**options),
        existing=ExistingNames(),
        on_progress=lambda done, total: None,
    )


def both(schema: Any, version: str = "3.0.3", **schemas: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a schema as it is imported for a request, under `body`, and for a response, under `result`."""
    made = {"application/json": {"schema": {"type": "array", "items": schema}}}
    post = {
        "requestBody": {"required": True, "content": made},
        "responses": {"200": {"description": "", "content": made}},
    }
    (tool,) = imported(document({"/": {"post": post}}, version, components={"schemas": schemas}))
    return tool.fields["input_schema"], tool.fields["output_schema"]


def accepts(schema: dict[str, Any], value: Any) -> bool:
    key = "body" if "body" in schema["properties"] else "result"
    return compile_schema(schema).accepts({key: [value]})


def item(schema: dict[str, Any]) -> Any:
    return schema["properties"]["body"]["items"]


@pytest.mark.parametrize(("schema", "meant"), load_beside(__file__, "schemas.yaml"))
def test_keywords_of_3_0_are_converted(schema: Any, meant: Any) -> None:
    request, _ = both(schema, A={"type": "string"})
    assert item(request) == meant


def test_schemas_of_3_1_stay_unchanged() -> None:
    schema = {"type": ["string", "null"], "exclusiveMinimum": 3, "const": "a", "examples": ["a"]}
    assert item(both(schema, "3.1.0")[0]) == schema
    beside = {"$ref": "#/components/schemas/A", "minLength": 3}
    request, _ = both(beside, "3.2.0", A={"type": "string"})
    assert item(request) == {"$ref": "#/$defs/A", "minLength": 3}


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("#/components/schemas/Nowhere", "refers to nothing"),
        ("#/components/schemas/A", "refers back to itself"),
        ("../other.json", "is outside the document's folder"),
        ("https://example.com/x.json", "is outside the document's folder"),
        ("missing.json#/A", "there is no file missing.json"),
    ],
)
def test_invalid_references_are_refused(ref: str, why: str) -> None:
    loop = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    with pytest.raises(SourceError, match=why):
        both({"$ref": ref}, **loop)


TEXTS = ["", ".", "..", "...", "/", "//", "./", "/.", "a/..", "..\\a", "a", ".a", "..a", "a.", "a..", "a/b", "a/.../b",
         "\n", "a\nb", "\x7f", "\t", "ü", "a\n/..", "..\n", "{id}", "%2e"]  # fmt: skip


@pytest.mark.parametrize(("place", "send"), [("path", in_path), ("header", in_header)])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"$ref": "#/components/schemas/Id"},
        {"type": "string", "pattern": "", "minLength": 0},
    ],
    ids=["string", "reference", "pattern"],
)
def test_parameters_accept_exactly_the_texts_that_can_be_sent(
    place: str, send: Callable[..., str], schema: dict[str, Any]
) -> None:
    def is_sent(text: str) -> bool:
        try:
            send("v", text, {})
        except InvalidRequestError:
            return False
        return True

    made = compile_schema(parameter_schema(place, schema))

    assert [text for text in TEXTS if made.accepts({"v": text})] == [text for text in TEXTS if is_sent(text)]


def parameter_schema(place: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the input schema of an operation with one parameter `v`."""
    get = {
        "parameters": [{"name": "v", "in": place, "required": True, "schema": schema}],
        "responses": {"200": {"description": "OK"}},
    }
    path = "/x/{v}" if place == "path" else "/x"
    (tool,) = imported(document({path: {"get": get}}, components={"schemas": {"Id": {"type": "string"}}}))
    made: dict[str, Any] = tool.fields["input_schema"]
    return made


@pytest.mark.parametrize(
    ("schema", "is_object"),
    [
        ({"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "object"}]}, True),
        ({"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "array"}]}, False),
    ],
)
def test_only_a_response_that_is_no_object_is_a_property_of_one(schema: Any, is_object: bool) -> None:
    components = {"A": {"type": "object"}, "B": {"allOf": [{"allOf": [{"$ref": "#/components/schemas/A"}]}]}}
    answers = {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}
    paths = {"/it": {"get": {"operationId": "it", "responses": answers}}}
    (tool,) = imported(document(paths, components={"schemas": components}))
    written = tool.fields["output_schema"]
    assert written["type"] == "object"
    assert tool.fields["x-openapi"].get("wrapped", False) == (not is_object)
    assert ("result" in written.get("properties", {})) == (not is_object)
