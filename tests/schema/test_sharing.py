"""Equal subschemas become one definition, and the schema accepts what it did."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from toolgen.schema.document import SchemaDocument
from toolgen.schema.inline import inline_references
from toolgen.schema.sharing import share_equal

MONEY = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number", "minimum": 0}}}
PLACE = {"type": "object", "properties": {"price": MONEY, "city": {"type": "string"}}}


def test_equal_subschemas_are_written_once() -> None:
    shared = share_equal({"type": "object", "properties": {"a": MONEY, "b": {"items": MONEY}}})
    assert shared == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/s1"}, "b": {"items": {"$ref": "#/$defs/s1"}}},
        "$defs": {"s1": MONEY},
    }


def test_equal_subschemas_inside_equal_ones_are_shared_too() -> None:
    shared: Any = share_equal({"properties": {"a": PLACE, "b": PLACE, "c": MONEY}})
    assert shared["properties"]["a"] == shared["properties"]["b"]
    assert list(shared["$defs"].values()).count(MONEY) == 1
    assert inline_references(SchemaDocument(shared)) == {"properties": {"a": PLACE, "b": PLACE, "c": MONEY}}


def test_a_definition_keeps_its_name() -> None:
    schema = {"properties": {"a": MONEY, "s": {"$ref": "#/$defs/s1"}}, "$defs": {"Money": MONEY, "s1": {}}}
    assert share_equal(schema) == {
        "properties": {"a": {"$ref": "#/$defs/Money"}, "s": {"$ref": "#/$defs/s1"}},
        "$defs": {"Money": MONEY, "s1": {}},
    }


def test_draft_7_has_definitions_under_its_own_keyword() -> None:
    schema = {"properties": {"a": PLACE, "b": PLACE}, "definitions": {"x": {"type": "null"}}}
    assert set(share_equal(schema)["definitions"]) == {"x", "s1"}


@pytest.mark.parametrize(
    "part",
    [
        {"$id": "https://example.com/a"},
        {"$anchor": "here"},
        {"$ref": "#/properties/a"},
        {"$dynamicRef": "#x"},
    ],
    ids=lambda part: next(iter(part)),
)
def test_a_schema_whose_parts_have_addresses_is_left_alone(part: dict[str, Any]) -> None:
    schema = {"properties": {"a": MONEY, "b": MONEY, "c": part}}
    assert share_equal(schema) is schema


def test_a_schema_without_equal_parts_is_left_alone() -> None:
    schema = {"properties": {"a": MONEY, "b": {"type": "string"}, "c": {"type": "string"}}}
    assert share_equal(schema) is schema


def test_a_recursive_schema_stays_valid() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "price": MONEY, "tax": MONEY}}
    shared = share_equal({"$ref": "#/$defs/Node", "$defs": {"Node": node}})
    validator = jsonschema_rs.Draft202012Validator(shared)
    assert validator.is_valid({"next": {"price": {"amount": 1}}})
    assert not validator.is_valid({"next": {"next": {"tax": {"amount": -1}}}})
