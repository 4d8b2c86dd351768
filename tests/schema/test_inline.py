"""Schemas with references written out, or wrapped: they accept what they did before."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from random_schemas import Instances, schemas
from toolgen.schema.document import subschemas
from toolgen.schema.inline import inlined, wrapped

PATIENT = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@PATIENT
@given(schemas(), st.data())
def test_both_mean_the_same(schema: dict[str, Any], data: st.DataObject) -> None:
    before = copy.deepcopy(schema)
    value = Instances(schema).draw(data.draw, schema)
    fits = Draft202012Validator(schema).is_valid(value)
    assert Draft202012Validator(inlined(schema)).is_valid(value) == fits
    assert Draft202012Validator(wrapped(schema)).is_valid({"result": value}) == fits
    assert Draft202012Validator(wrapped(inlined(schema))).is_valid({"result": value}) == fits
    assert schema == before


def test_definitions_go_when_nothing_refers_to_them() -> None:
    word = {"type": "string", "description": "A word."}
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/Word"},
            "b": {"$ref": "#/$defs/Word", "description": "The second."},
            "c": {"$ref": "#/$defs/Word", "maxLength": 3},
            "$ref": {"type": "integer"},
        },
        "$defs": {"Word": word},
    }
    assert inlined(schema) == {
        "type": "object",
        "properties": {
            "a": word,
            "b": {"type": "string", "description": "The second."},
            "c": {"maxLength": 3, "allOf": [word]},
            "$ref": {"type": "integer"},
        },
    }


def test_recursion_is_kept_and_the_rest_written_out() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/Node"}, "w": {"$ref": "#/$defs/Word"}},
        "$defs": {"Node": node, "Word": {"type": "string"}},
    }
    assert inlined(schema) == {
        "type": "object",
        "properties": {"n": node, "w": {"type": "string"}},
        "$defs": {"Node": node},
    }


def test_draft_07_ignores_what_stands_beside_a_reference() -> None:
    draft = "http://json-schema.org/draft-07/schema#"
    schema = {
        "$schema": draft,
        "properties": {"a": {"$ref": "#/definitions/W", "maxLength": 1}},
        "definitions": {"W": {"type": "string"}},
    }
    assert inlined(schema) == {"$schema": draft, "properties": {"a": {"type": "string"}}}
    assert wrapped(schema)["$schema"] == draft


def test_what_would_grow_beyond_measure_stays() -> None:
    doubling: dict[str, Any] = {"L0": {"type": "string"}}
    for level in range(1, 20):
        below = {"$ref": f"#/$defs/L{level - 1}"}
        doubling[f"L{level}"] = {"type": "object", "properties": {"l": below, "r": below}}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/L19"}}, "$defs": doubling}
    assert inlined(schema) is schema


def test_names_of_their_own_are_left_alone() -> None:
    schema = {"$ref": "#word", "$defs": {"W": {"$anchor": "word", "type": "string"}}}
    assert inlined(schema) is schema
    assert next(node for _, node in subschemas(wrapped(schema)) if "$ref" in node)["$ref"] == "#word"
