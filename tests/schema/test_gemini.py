"""Gemini's dialect: only its keywords, never stricter than the author's schema, with recursion."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from random_schemas import Instances, patient, schemas, unions
from toolgen.schema.dialects.gemini import publish as to_gemini
from toolgen.schema.dialects.publish import publish
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import SchemaDocument, subschemas

from tests.samples import load_beside

# Written down a second time, from `GenerationConfig.response_json_schema` of google-genai 3.4.
KEYWORDS = {
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
    "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
}  # fmt: skip
PATIENT = patient(150)


def faults(schema: Any) -> list[str]:
    """Return everything in `schema` that Gemini's documentation does not allow."""
    found = []
    for path, node in subschemas(schema):
        found += [f"{path}: {keyword}" for keyword in node.keys() - KEYWORDS]
        if "$ref" in node and any(not keyword.startswith("$") for keyword in node):
            found.append(f"{path}: $ref with siblings")
        if any(isinstance(value, bool | dict | list | None) for value in node.get("enum", ())):
            found.append(f"{path}: enum of more than texts and numbers")
        if "$ref" in node and node["$ref"].removeprefix("#/$defs/") not in schema.get("$defs", {}):
            found.append(f"{path}: dangling {node['$ref']}")
    return found


@PATIENT
@given(st.one_of(schemas(), unions()))
def test_published_schemas_are_in_the_documented_subset(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    made = to_gemini(SchemaDocument(schema)).schema
    assert schema == before
    assert faults(made) == []
    Draft202012Validator.check_schema(made)


@PATIENT
@given(st.one_of(schemas(), unions()), st.data())
def test_gemini_schemas_accept_all_that_the_authors_schema_accepts(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    instances = Instances(schema)
    arguments = instances.draw(data.draw, schema)
    assume(instances.accepts(schema, arguments))
    made = to_gemini(SchemaDocument(schema)).schema
    Draft202012Validator(made).validate(arguments)


def reported(schema: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(loss.keyword, loss.always) for loss in to_gemini(SchemaDocument(schema)).losses]


def one(child: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": child}, **more}


def printed(child: Any, **more: Any) -> Any:
    return to_gemini(SchemaDocument(one(child, **more))).schema["properties"]["a"]


def test_a_supported_schema_is_published_unchanged() -> None:
    schema = one({"type": ["string", "null"], "enum": ["x"], "description": "An x."}, required=["a"])
    assert publish("gemini", SchemaDocument(schema)).schema is schema


@pytest.mark.parametrize(("child", "wanted"), load_beside(__file__, "gemini.yaml"))
def test_conversion_of_one_property(child: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert printed(child) == wanted


def test_references_are_inlined_with_their_siblings() -> None:
    word = {"type": "string", "maxLength": 3, "description": "A word."}
    first, defs = {"$ref": "#/$defs/Word", "description": "The first."}, {"$defs": {"Word": word}}
    assert printed(first, **defs) == {"description": "The first. (maxLength: 3)", "type": "string"}
    assert reported(one(first, **defs)) == [("maxLength", False)]
    bare = printed({"$ref": "#/$defs/Word"}, **defs)
    assert bare == {"type": "string", "description": "A word. (maxLength: 3)"}


NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}}}


def test_recursive_schemas_keep_references() -> None:
    definitions: dict[str, Any] = {"$defs": {"Node": NODE}}
    published = to_gemini(SchemaDocument(one({"$ref": "#/$defs/Node"}, required=["a"], **definitions)))
    assert published == Published(one(NODE, required=["a"], **definitions))


def test_required_recursive_properties_become_optional_and_are_reported() -> None:
    forced = {**NODE, "required": ["next", "n"]}
    schema = one({"$ref": "#/$defs/Node"}, required=["a"], **{"$defs": {"Node": forced}})
    made = to_gemini(SchemaDocument(schema)).schema
    assert made["$defs"]["Node"]["required"] == ["n"]
    assert made["required"] == ["a"]
    assert reported(schema) == [("required", True)]
