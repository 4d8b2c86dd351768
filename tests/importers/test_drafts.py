"""Schemas of other drafts are enforced with the semantics of those drafts."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.schema.validator import compiled
from toolgen.sources.schema_repair import repair_schema

FOURTH = "http://json-schema.org/draft-04/schema#"
NINETEEN = "https://json-schema.org/draft/2019-09/schema"


@pytest.mark.parametrize(
    ("draft", "schema", "taken", "refused"),
    [
        (FOURTH, {"type": "integer", "minimum": 0, "exclusiveMinimum": True}, 1, 0),
        (
            NINETEEN,
            {"items": [{"type": "string"}], "additionalItems": {"type": "null"}},
            ["x", None],
            ["x", 1],
        ),
    ],
)
def test_schemas_of_another_draft_are_converted(
    draft: str | None, schema: Any, taken: Any, refused: Any
) -> None:
    root = {**({"$schema": draft} if draft else {}), "type": "object", "properties": {"v": schema}}
    repaired = repair_schema(root, "input_schema")
    assert (repaired.notes == []) is (draft is None and schema == repaired.schema["properties"]["v"])
    assert not [note for note in repaired.notes if "not enforced" in note]
    validator = compiled(repaired.schema)
    assert validator.is_valid({"v": taken})
    assert not validator.is_valid({"v": refused})


def test_recursive_references_of_2019_09_are_converted() -> None:
    root = {
        "$schema": NINETEEN,
        "type": "object",
        "properties": {"kid": {"$recursiveRef": "#"}, "n": {"type": "null"}},
    }
    repaired = repair_schema(root, "input_schema")
    assert repaired.notes == [
        "input_schema/$schema: read as 2020-12",
        "input_schema/properties/kid/$recursiveRef: read as `$ref`",
    ]
    assert not compiled(repaired.schema).is_valid({"kid": {"kid": {"n": 1}}})
