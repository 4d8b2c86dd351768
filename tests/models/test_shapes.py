"""The Python type of each schema, and the constraints that the type enforces."""

from __future__ import annotations

import ast
import json
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from tests.models.helpers import classes_of, lowered, models_of, module, same, there_and_back

OBJECT = {"type": "object"}


def annotation(schema: Any, required: bool = True, **more: Any) -> str:
    """The annotation, and the default, of a property with `schema`."""
    root = {**OBJECT, "properties": {"p": schema}, "required": ["p"] if required else [], **more}
    code = classes_of(root).code
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "p":
            return ast.unparse(node).removeprefix("p: ")
    raise AssertionError(code)


A = {**OBJECT, "properties": {"n": {"type": "integer"}}}
B = {**OBJECT, "properties": {"n": {"type": "string"}}}
TAGGED = [
    {**OBJECT, "required": ["k"], "properties": {"k": {"const": tag}, "n": {"type": "integer"}}} for tag in ("a", "b")
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "python"),
    [
        ({"type": "string"}, "str"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"enum": ["a", "b"]}, "Literal['a', 'b']"),
        ({"enum": [{"a": 1}]}, "dict[str, Any]"),
        ({}, "Any"),
        (OBJECT, "dict[str, Any]"),
        ({**OBJECT, "additionalProperties": {"type": "integer", "minimum": 1}}, "dict[str, int]"),
        ({**OBJECT, "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}, "dict[str, int]"),
        ({"type": "array", "items": {"type": "string", "minLength": 1}}, "list[str]"),
        ({"type": "array", "minItems": 1, "maxItems": 2}, "Annotated[list[Any], Field(max_length=2, min_length=1)]"),
        ({"anyOf": [A, B]}, "dict[str, Any]"),
        ({"oneOf": TAGGED}, "A | B"),
        ({"anyOf": [{"type": "array", "items": A}, {"type": "array", "items": B}]}, "list[Any]"),
        ({"$ref": "#/$defs/Thing", "description": "A thing."}, "Annotated[Thing, Field(description='A thing.')]"),
        ({"$ref": "#/$defs/Loop"}, "list[Any]"),
        ({"type": "integer", "minimum": 1.0, "exclusiveMaximum": 5.5, "multipleOf": 2}, "Annotated[int, Field(ge=1, multiple_of=2)]"),
        ({"type": "string", "pattern": "^[a-z]{2}$"}, "Annotated[str, Field(pattern='^[a-z]{2}$')]"),
    ],
)  # fmt: skip
def test_the_type_of_a_schema(schema: Any, python: str) -> None:
    defs = {
        "Thing": {**OBJECT, "properties": {"a": {}}},
        "Text": {"type": "string", "maxLength": 5},
        "Loop": {"type": "array", "items": {"$ref": "#/$defs/Loop"}},
    }
    assert annotation(schema, **{"$defs": defs}) == python


@pytest.mark.parametrize(
    ("schema", "python"),
    [
        ({"type": "integer", "default": 3}, "int = 3"),
        ({"type": "integer", "maximum": 2, "default": 3}, "Annotated[int | None, Field(le=2)] = None"),
        ({"type": "array", "items": {"type": "string"}, "default": [1]}, "list[str] | None = None"),
        ({**OBJECT, "properties": {"a": {}}, "default": {"a": 1}}, "P | None = None"),
    ],
)
def test_valid_defaults_are_in_the_model(schema: Any, python: str) -> None:
    assert annotation(schema, required=False) == python


def test_closed_objects_refuse_unknown_keys_and_open_ones_keep_them() -> None:
    closed = classes_of({**OBJECT, "properties": {"a": {}}, "additionalProperties": False}).ProbeRequest
    with pytest.raises(ValidationError):
        closed.model_validate({"b": 1})
    assert there_and_back(classes_of(OBJECT).ProbeRequest, {"b": 1}) == {"b": 1}


@pytest.mark.parametrize(
    ("root", "value"),
    [
        ({"type": "array", "items": {"type": "number"}}, [1, 10**30]),
        ({"oneOf": TAGGED}, {"k": "b", "n": 1, "x": None}),
        (
            {"$ref": "#/$defs/T", "$defs": {"T": {**OBJECT, "properties": {"t": {"$ref": "#/$defs/T"}}}}},
            {"t": {"t": {}}},
        ),
    ],
)
def test_roots_of_every_kind(root: dict[str, Any], value: Any) -> None:
    assert same(there_and_back(classes_of(OBJECT, root).ProbeResponse, value), value)


@pytest.mark.parametrize(
    ("schema", "python"),
    [
        ({"type": "string", "maxLength": 5}, "TypeAlias = str"),
        ({"type": "array", "items": A}, "TypeAlias = list[ProbeChunkItem]"),
        ({"oneOf": TAGGED}, "TypeAlias = A | B"),
    ],
)
@pytest.mark.parametrize("request_schema", [OBJECT, {**OBJECT, "properties": {"p": {"oneOf": TAGGED}}}])
def test_chunks_that_are_no_objects_have_an_alias(schema: Any, python: str, request_schema: Any) -> None:
    code = streamed(schema, request_schema).code
    (alias,) = [node for node in ast.parse(code).body if isinstance(node, ast.AnnAssign)]
    assert ast.unparse(alias) == f"ProbeChunk: {python}"


def test_chunks_that_are_objects_have_a_class() -> None:
    made = streamed({**OBJECT, "required": ["n"], "properties": {"n": {"type": "integer"}, "from": {}}}, A)
    assert there_and_back(made.ProbeChunk, {"n": 1, "from": 2}) == {"n": 1, "from": 2}
    assert made.ProbeChunk.__doc__ == "One chunk of the result of `probe`."
    with pytest.raises(ValidationError):
        made.ProbeChunk(n="one")


def streamed(chunk: Any, request: Any) -> ModuleType:
    """Return the models of a tool with a stream."""
    spec = {"name": "probe", "description": "d", "input_schema": request, "stream": {"chunk_schema": chunk}}
    return module(models_of(lowered(json.dumps(spec)))["probe"])
