"""Contracts: what is compared, and where it is written."""

from __future__ import annotations

from toolgen.changes.contract import RESPONSE, contracts_of
from toolgen.compile.pipeline import analyze

ORDER = """\
name: order
description: Order an article.
input_schema:
  type: object
  properties:
    sku: {type: string}
output_schema: {$ref: "shared.yaml#/$defs/Receipt"}
"""
SHARED = """\
$defs:
  Receipt:
    type: object
    properties:
      number: {type: integer}
"""


def test_places_of_a_bound_schema_are_in_the_file_that_has_them() -> None:
    order = contracts_of(analyze({"order.yaml": ORDER, "shared.yaml": SHARED}, (), "specs/"))["order"]
    path = ("output_schema", "$defs", "Receipt", "properties", "number", "type")
    assert order.documents[RESPONSE].schema["$defs"]["Receipt"]["properties"]["number"] == {"type": "integer"}
    found = order.places.value(path)
    assert (found.file, found.line, found.column) == ("specs/shared.yaml", 5, 22)


def test_a_field_that_is_not_written_is_placed_at_the_name() -> None:
    order = contracts_of(analyze({"order.yaml": ORDER, "shared.yaml": SHARED}, ()))["order"]
    assert order.place("timeout").line == 1
    assert order.place("input_schema", "required").line == 3
    assert order.place("input_schema", "properties", "sku", "minLength").line == 6
