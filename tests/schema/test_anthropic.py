"""Anthropic's strict dialect: what is removed, what is a loss, what stays untouched."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.schema.dialects.anthropic import publish
from toolgen.schema.document import SchemaDocument

CLOSED = {"type": "object", "additionalProperties": False}


def losses(schema: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str, bool]]:
    return [(loss.path, loss.keyword, loss.fatal) for loss in publish(SchemaDocument(schema), True).losses]


def test_without_strict_the_authors_schema_is_published() -> None:
    schema = {"type": "object", "minProperties": 1}
    published = publish(SchemaDocument(schema), False)
    assert published.schema is schema
    assert (published.strict, published.losses) == (False, ())


def test_unsupported_keywords_are_removed_and_reported() -> None:
    schema = {
        **CLOSED,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "x-note": 1,
        "properties": {
            "minimum": {"type": "integer", "minimum": 1, "maximum": 9},
            "when": {"type": "string", "format": "date", "maxLength": 10},
            "odd": {"type": "string", "format": "regex"},
            "list": {"type": "array", "minItems": 2, "items": {"enum": ["a", None]}},
            "one": {"type": "array", "minItems": 1, "uniqueItems": True},
        },
    }
    published = publish(SchemaDocument(schema), True)
    assert published.strict
    assert published.schema == {
        **CLOSED,
        "properties": {
            "minimum": {"type": "integer"},
            "when": {"type": "string", "format": "date"},
            "odd": {"type": "string"},
            "list": {"type": "array", "items": {"enum": ["a", None]}},
            "one": {"type": "array", "minItems": 1},
        },
    }
    assert losses(schema) == [
        (("properties", "minimum"), "minimum", False),
        (("properties", "minimum"), "maximum", False),
        (("properties", "when"), "maxLength", False),
        (("properties", "odd"), "format", False),
        (("properties", "list"), "minItems", False),
        (("properties", "one"), "uniqueItems", False),
    ]


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "object"}, "additionalProperties"),
        ({**CLOSED, "properties": {"a": {"oneOf": [{"type": "string"}]}}}, "oneOf"),
        ({**CLOSED, "properties": {"a": {"enum": [{"b": 1}]}}}, "enum"),
        ({**CLOSED, "properties": {"a": {"$ref": "#"}}}, "$ref"),
    ],
)
def test_unsupported_structure_prevents_strict_mode(schema: dict[str, Any], keyword: str) -> None:
    published = publish(SchemaDocument(schema), True)
    assert published.schema is schema
    assert not published.strict
    assert keyword in [lost for _, lost, fatal in losses(schema) if fatal]


def test_indirect_recursion_is_found() -> None:
    node = {**CLOSED, "properties": {"next": {"$ref": "#/$defs/Other"}}}
    other = {**CLOSED, "properties": {"back": {"$ref": "#/$defs/Node"}}}
    looping = {
        **CLOSED,
        "properties": {"n": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": node, "Other": other},
    }
    assert not publish(SchemaDocument(looping), True).strict
    leaf = {"$defs": {"Node": node, "Other": {"type": "string"}}}
    assert publish(SchemaDocument({**looping, **leaf}), True).strict
