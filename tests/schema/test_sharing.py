"""Equal subschemas become one definition, and the schema accepts what it did."""

from __future__ import annotations

from typing import Any

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
