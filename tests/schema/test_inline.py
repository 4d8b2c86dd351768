"""Inlined and wrapped schemas accept the same values as before."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from random_schemas import Instances, patient, schemas
from toolgen.schema.document import SchemaDocument
from toolgen.schema.inline import inline_references, wrap_in_object
from toolgen.schema.validator import compiled

from tests.corpora import at_least, corpus
from tools.corpus.json_schema_suite import DRAFTS

PATIENT = patient(150)


@PATIENT
@given(schemas(), st.data())
def test_inlined_and_wrapped_schemas_accept_the_same_values(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    before = copy.deepcopy(schema)
    value = Instances(schema).draw(data.draw, schema)
    fits = Draft202012Validator(schema).is_valid(value)
    inlined = inline_references(SchemaDocument(schema))
    assert Draft202012Validator(inlined).is_valid(value) == fits
    for each in (schema, inlined):
        wrapped = wrap_in_object(SchemaDocument(each))
        assert Draft202012Validator(wrapped).is_valid({"result": value}) == fits
    assert schema == before


def test_recursive_references_are_kept_and_others_inlined() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/Node"}, "w": {"$ref": "#/$defs/Word"}},
        "$defs": {"Node": node, "Word": {"type": "string"}},
    }
    assert inline_references(SchemaDocument(schema)) == {
        "type": "object",
        "properties": {"n": node, "w": {"type": "string"}},
        "$defs": {"Node": node},
    }


def test_inlined_schemas_of_the_json_schema_test_suite_accept_the_same_values() -> None:
    compared = 0
    for draft, uri in DRAFTS.items():
        for file in sorted((corpus("json_schema_test_suite") / "tests" / draft).rglob("*.json")):
            for group in json.loads(file.read_text(encoding="utf-8")):
                schema = group["schema"]
                if not isinstance(schema, dict) or "$ref" not in json.dumps(schema):
                    continue
                document = SchemaDocument({"$schema": uri, **schema})
                found = inline_references(document)
                if document.draft is None or found is document.schema:
                    continue
                compared += 1
                for test in group["tests"]:
                    is_valid = compiled(document.schema).is_valid(test["data"])
                    assert compiled(found).is_valid(test["data"]) == is_valid, group["description"]
    assert compared >= at_least("json_schema_test_suite", 90)


def test_a_schema_that_is_too_large_when_inlined_stays_unchanged() -> None:
    doubling: dict[str, Any] = {"L0": {"type": "string"}}
    for level in range(1, 20):
        below = {"$ref": f"#/$defs/L{level - 1}"}
        doubling[f"L{level}"] = {"type": "object", "properties": {"l": below, "r": below}}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/L19"}}, "$defs": doubling}
    assert inline_references(SchemaDocument(schema)) is schema
