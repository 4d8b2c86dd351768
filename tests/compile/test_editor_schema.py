"""The JSON Schema for editors accepts and refuses what the spec language does."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema_rs
import pytest
from toolgen.language.reading.editor_schema import editor_schema
from toolgen.language.spec import Spec

from tests.compile.full_spec import FULL


def _valid(data: Any) -> bool:
    return jsonschema_rs.validator_for(editor_schema(), offline=True).is_valid(data)


def test_the_editor_schema_is_draft_07() -> None:
    schema = editor_schema()
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert jsonschema_rs.meta.is_valid(schema)
    assert "$defs/" not in str(schema).replace("#/$defs/Name", "")


def test_every_field_has_a_description() -> None:
    definitions = editor_schema()["definitions"]
    assert set(definitions["Tool"]["properties"]) == set(Spec.model_fields) - {"extensions"}
    for name, definition in definitions.items():
        assert definition.get("description"), name
        for field, schema in definition["properties"].items():
            assert schema.get("description"), f"{name}.{field}"
            assert "$ref" not in schema or len(schema) == 1, "draft-07 ignores siblings of $ref"


def test_a_full_spec_and_a_shared_file_are_valid() -> None:
    assert _valid(FULL)
    assert _valid({"$defs": {"A": {"type": "string"}}})


@pytest.mark.parametrize(
    "change",
    [
        {"descripton": "typo"},
        {"name": "two words"},
        {"timeout": "30"},
        {"input_schema": {"type": "strng"}},
        {"output_schema": {"properties": {"a": {"minLength": "x"}}}},
        {"errors": [{"code": "gone"}]},
    ],
)
def test_faults_show_in_the_editor(change: dict[str, Any]) -> None:
    assert not _valid({**copy.deepcopy(FULL), **change})
