"""Roots without combinators, property names that providers allow, and their restoration."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.schema.dialects.publish import publish
from toolgen.schema.document import SchemaDocument

REF = "$ref"


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


A, B = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "bedrock", "gemini"])
@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (
            obj({"a": A}, anyOf=[{"required": ["a"]}, {"required": ["b"], "properties": {"b": B}}]),
            obj({"a": A, "b": B}),
        ),
        (
            obj({}, oneOf=[obj({"a": A, "k": A}, required=["a", "k"]), obj({"a": B}, required=["k"])]),
            obj({"a": {"anyOf": [A, B]}, "k": A}, required=["k"]),
        ),
        (
            obj({"a": A}, required=["a"], allOf=[obj({"b": B}, required=["b"])]),
            obj({"a": A, "b": B}, required=["a", "b"]),
        ),
        (obj({"a": A}, additionalProperties=False, anyOf=[obj({"b": B})]), obj({"a": A}, additionalProperties=False)),
    ],
)  # fmt: skip
def test_properties_of_branches_are_at_the_root(
    dialect: str, schema: dict[str, Any], wanted: dict[str, Any]
) -> None:
    made = publish(dialect, SchemaDocument(schema), False)
    assert made.schema == wanted
    assert all(loss.always for loss in made.losses if loss.path == ())
    if dialect != "gemini" or "allOf" not in schema:  # Gemini's dialect has joined it
        assert any(loss.always for loss in made.losses)


ONE_OF_TWO = obj({"a": A, "b": B}, anyOf=[{"required": ["a"]}, {"required": ["b"]}])


@pytest.mark.parametrize(
    ("dialect", "schema", "wanted"),
    [
        ("openai", {"type": "object"}, obj({})),
        ("openai", obj({"a": {"type": "array"}}), obj({"a": {"type": "array", "items": {}}})),
        ("gemini", obj({"a": {"type": ["array", "null"]}}), obj({"a": {"type": ["array", "null"], "items": {}}})),
        ("gemini", obj({"a": A}, required=["ghost"]), obj({"a": A, "ghost": {}}, required=["ghost"])),
        ("gemini", obj({}, additionalProperties=A, required=["b"]), obj({"b": A}, additionalProperties=A, required=["b"])),
        ("gemini", obj({"o": ONE_OF_TWO}), obj({"o": {**ONE_OF_TWO, "anyOf": [obj({"a": A}, required=["a"]), obj({"b": B}, required=["b"])]}})),
    ],
)  # fmt: skip
def test_what_a_provider_asks_for_is_written_out(dialect: str, schema: Any, wanted: Any) -> None:
    assert publish(dialect, SchemaDocument(schema), False).schema == wanted
    assert publish(dialect, SchemaDocument(schema), False).losses == ()


def test_required_properties_that_gemini_cannot_be_told_are_losses() -> None:
    closed, untyped = obj({}, additionalProperties=False, required=["ghost"]), {"required": ["ghost"]}
    made = publish("gemini", SchemaDocument(obj({"c": closed, "u": untyped})))
    assert made.schema["properties"] == {"c": {**closed, "required": []}, "u": obj({"ghost": {}}, **untyped)}
    assert [(loss.path[-1], loss.keyword) for loss in made.losses] == [("c", "required"), ("u", "type")]


def test_references_into_a_branch_lead_to_definitions() -> None:
    schema = obj({"c": {REF: "#/anyOf/0/properties/a"}}, anyOf=[obj({"a": A})])
    made = publish("openai", SchemaDocument(schema)).schema
    assert made["properties"] == {"c": {REF: "#/$defs/root_anyOf/anyOf/0/properties/a"}, "a": A}
    assert made["$defs"]["root_anyOf"]["anyOf"][0]["properties"]["a"] == A


NAMES = obj(
    {"Start<": A, "Start>": B, "Start_": A, "same": {REF: "#/properties/Start%3E"}, "x" * 70: A, "": A},
    required=["Start>", "same"],
)


@pytest.mark.parametrize("dialect", ["anthropic", "bedrock", "gemini"])
def test_property_names_are_changed_and_restored(dialect: str) -> None:
    made = publish(dialect, SchemaDocument(NAMES))
    names = list(made.schema["properties"])
    assert names == ["Start__2", "Start__3", "Start_", "same", "x" * 64, "_"]
    assert made.schema["required"] == ["Start__3", "same"]
    same = made.schema["properties"]["same"]
    assert same == (B if dialect == "gemini" else {REF: "#/properties/Start__3"})
    restore = made.restore()
    assert restore is not None
    arguments = {name: index for index, name in enumerate(NAMES["properties"])}
    assert restore(dict(zip(names, arguments.values(), strict=True))) == arguments
    assert restore({"more": {"Start__2": 1}}) == {"more": {"Start__2": 1}}
    assert restore("no object") == "no object"


def test_recursive_arguments_keep_their_own_names_inside() -> None:
    schema = obj({"a<": A, "more": {REF: "#"}}, **{"$defs": {"arguments": A}})
    made = publish("anthropic", SchemaDocument(schema)).schema
    inside = obj({"a<": A, "more": {REF: "#/$defs/arguments_2"}})
    assert made == obj(
        {"a_": A, "more": {REF: "#/$defs/arguments_2"}}, **{"$defs": {"arguments": A, "arguments_2": inside}}
    )
