"""Examples of an OpenAPI document become examples of the specs."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import document
from .test_schemas import imported

PET: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
    },
}


def operation(*parameters: Any, body: Any = None, response: Any = None, schema: Any = PET) -> dict[str, Any]:
    made: dict[str, Any] = {"operationId": "op", "parameters": list(parameters)}
    if body is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": PET, **body}}}
    content = {"application/json": {"schema": schema, **(response or {})}}
    made["responses"] = {"200": {"description": "OK", "content": content}}
    return made


def parameter(name: str, kind: str = "integer", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": kind}, **more}


def examples(made: dict[str, Any], version: str = "3.1.0", **more: Any) -> Any:
    (tool,) = imported(document({"/op": {"post": made}}, version, **more))
    return tool.fields.get("examples"), [note for note in tool.notes if "example" in note]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_the_first_examples_of_request_and_response_are_one_call(version: str) -> None:
    components = {
        "examples": {"cat": {"value": {"id": 1, "name": "Cat"}}, "dog": {"$ref": "#/components/examples/hound"},
                     "hound": {"summary": "A dog", "value": {"id": 2, "name": "Dog"}}},
    }  # fmt: skip
    refs = {name: {"$ref": f"#/components/examples/{name}"} for name in ("dog", "cat")}
    limit = parameter("limit", example=10)
    made = operation(limit, body={"examples": refs}, response={"examples": {"dog": refs["dog"]}})
    assert examples(made, version, components=components) == (
        [{"name": "example", "input": {"limit": 10, "name": "Dog"}, "output": {"id": 2, "name": "Dog"}}],
        [],
    )


def test_examples_of_parameters_and_of_schemas() -> None:
    named = {"a": {"value": 1}, "b": {"value": 2}}
    required = parameter("of", "string", required=True, schema={"type": "string", "example": "all"})
    made = operation(parameter("page", examples=named), required, schema={**PET, "example": {"name": "Cat"}})
    assert examples(made)[0] == [
        {"name": "example", "input": {"page": 1, "of": "all"}, "output": {"name": "Cat"}},
    ]


def test_a_body_with_the_name_of_a_parameter_is_not_mistaken_for_it() -> None:
    same = operation(parameter("name", "string", example="Ada"), body={"example": {"name": "Cat"}})
    assert examples(same)[0] == [{"name": "example", "input": {"name": "Ada", "body_name": "Cat"}}]
    further = operation(
        parameter("of", "string", example="all"), body={"example": {"name": "Cat", "of": "x"}}
    )
    assert examples(further)[0] is None


@pytest.mark.parametrize(
    ("value", "note"),
    [
        ({"name": "Cat", "age": -1}, "an example that the schema does not accept: left out"),
        ({"name": "x" * 5_000}, "an example with more than 4,000 bytes: left out"),
    ],
)
def test_an_example_that_cannot_be_used_is_left_out_and_reported(value: Any, note: str) -> None:
    found, notes = examples(operation(body={"examples": {"first": {"value": value}}}))
    assert found is None
    assert [each.partition(": ")[2] for each in notes] == [note]


def test_references_to_nothing_and_responses_that_the_schema_refuses() -> None:
    listed = {"gone": {"$ref": "#/components/examples/gone"}, "good": {"value": {"name": "Cat"}}}
    made = operation(body={"examples": listed}, response={"examples": {"good": {"value": {"name": 1}}}})
    found, notes = examples(made)
    assert found == [{"name": "example", "input": {"name": "Cat"}}]
    assert [note.partition(": ")[2] for note in notes] == [
        "'#/components/examples/gone' refers to nothing: left out",
        "an example's response that the schema does not accept: its request alone is an example",
    ]


@pytest.mark.parametrize("text", ["Bearer abcdefghijkl", "sk-abcdefghijklmnop"])
def test_credentials_are_never_in_examples(text: str) -> None:
    found, notes = examples(operation(body={"example": {"name": text}}))
    assert (found, len(notes)) == (None, 1)
    answer = operation(body={"example": {"name": "Ada"}}, response={"example": {"name": "x", "api_key": "k"}})
    assert examples(answer)[0] == [{"name": "example", "input": {"name": "Ada"}}]
