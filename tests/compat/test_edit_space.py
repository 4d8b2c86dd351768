"""The space of edits agrees with the meta-schemas of both drafts and with the validator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_specifications
import pytest
from toolgen.changes.edit_space import EDITS, OTHER_KEYWORD, Direction, Edit, ValueKind, edits_of, value_kinds
from toolgen.schema.document import ASSERTED, Draft
from toolgen.schema.keywords import KEYWORDS
from toolgen.schema.validator import compiled

from tools.breaking.cells import cells, drafts_of_keyword

REGISTRY = jsonschema_specifications.REGISTRY
_VOCABULARIES = (
    "core",
    "applicator",
    "unevaluated",
    "validation",
    "meta-data",
    "format-annotation",
    "content",
)
META_SCHEMAS: Mapping[Draft, tuple[Any, ...]] = {
    Draft.DRAFT_7: (REGISTRY.contents("http://json-schema.org/draft-07/schema"),),
    Draft.DRAFT_2020_12: (
        REGISTRY.contents("https://json-schema.org/draft/2020-12/schema"),
        *(REGISTRY.contents(f"https://json-schema.org/draft/2020-12/meta/{name}") for name in _VOCABULARIES),
    ),
}


def keywords(draft: Draft) -> Iterator[tuple[str, Any, Any]]:
    """Yield each keyword with its schema and the meta-schema that has it."""
    for meta_schema in META_SCHEMAS[draft]:
        for keyword, schema in meta_schema["properties"].items():
            yield keyword, schema, meta_schema


def unfolded(schema: Any, meta_schema: Any) -> Any:
    """Replace references to definitions of the meta-schema; `SCHEMA` stands for the meta-schema itself."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("$ref") == "#" or "$dynamicRef" in schema:
        return "SCHEMA"
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        definitions = meta_schema.get("definitions") or meta_schema.get("$defs") or {}
        names = {"type": "array", "items": {"type": "string"}}
        return unfolded(
            definitions.get(name, names if name == "stringArray" else {"type": "string"}), meta_schema
        )
    if "allOf" in schema:
        return unfolded(schema["allOf"][0], meta_schema)
    if "anyOf" in schema:
        return {"anyOf": [unfolded(each, meta_schema) for each in schema["anyOf"]]}
    inner = {
        key: unfolded(schema[key], meta_schema) for key in ("items", "additionalProperties") if key in schema
    }
    return {**schema, **inner}


def kinds(keyword: str, schema: Any) -> tuple[ValueKind, ...]:
    """Derive the kinds of values from the meta-schema's description of a keyword."""
    match schema:
        case "SCHEMA":
            return (ValueKind.SCHEMA,)
        case True:
            return (ValueKind.VALUE,)
        case {"anyOf": [{"enum": _}, {"items": {"enum": _}}]}:
            return (ValueKind.TYPES,)
        case {"anyOf": [one, other]}:
            return (*kinds(keyword, one), *kinds(keyword, other))
        case {"type": "array", "items": "SCHEMA"}:
            return (ValueKind.SCHEMA_LIST,)
        case {"type": "array", "items": True}:
            return (ValueKind.VALUES,)
        case {"type": "array", "items": {"type": "string"}}:
            return (ValueKind.NAMES,)
        case {"type": "object", "additionalProperties": inner}:
            return _kinds_of_map(keyword, inner)
        case {"type": "boolean"}:
            return (ValueKind.FLAG,)
        case {"exclusiveMinimum": 0}:
            return (ValueKind.DIVISOR,)
        case {"type": "number" | "integer"} | {"$ref": _}:
            return (ValueKind.BOUND,)
        case {"type": "string"} if keyword.endswith("ef"):
            return (ValueKind.REFERENCE,)
        case {"type": "string"}:
            return (ValueKind.TEXT,)
    raise AssertionError((keyword, schema))


def _kinds_of_map(keyword: str, inner: Any) -> tuple[ValueKind, ...]:
    match inner:
        case "SCHEMA":
            return (ValueKind.PROPERTIES if keyword == "properties" else ValueKind.SCHEMA_MAP,)
        case {"type": "boolean"}:
            return (ValueKind.VALUE,)
        case {"items": _}:
            return (ValueKind.NAME_LISTS,)
        case {"anyOf": branches}:
            return tuple(kind for branch in branches for kind in _kinds_of_map(keyword, branch))
    raise AssertionError((keyword, inner))


@pytest.mark.parametrize("draft", Draft)
def test_every_keyword_of_the_meta_schema_is_in_the_space_with_its_kind_of_value(draft: Draft) -> None:
    space = {cell.keyword for cell in cells()}
    for keyword, schema, meta_schema in keywords(draft):
        assert keyword in space
        assert draft in drafts_of_keyword(keyword), keyword
        derived = kinds(keyword, unfolded(schema, meta_schema))
        assert set(derived) <= set(value_kinds(keyword)), keyword


def test_every_keyword_of_the_space_is_in_a_meta_schema_that_has_its_draft() -> None:
    defined = {draft: {keyword for keyword, _, _ in keywords(draft)} for draft in Draft}
    # writeOnly is in the text of draft-07, and its meta-schema got it later
    defined[Draft.DRAFT_7].add("writeOnly")
    for keyword in KEYWORDS:
        assert drafts_of_keyword(keyword) == {draft for draft in Draft if keyword in defined[draft]}


def test_the_space_has_every_edit_of_every_keyword_in_both_directions_once() -> None:
    space = cells()
    assert len(space) == len(set(space))
    assert {cell.keyword for cell in space} == KEYWORDS | {OTHER_KEYWORD}
    assert set(EDITS) == set(ValueKind)
    assert {cell.edit for cell in space} == set(Edit)
    for keyword in KEYWORDS:
        assert {(cell.edit, cell.direction) for cell in space if cell.keyword == keyword} == {
            (edit, direction) for edit in edits_of(keyword) for direction in Direction
        }


REFUSING: Mapping[str, tuple[Any, Any]] = {
    # keyword: a schema that has it, and a value that is refused only because of it
    "$dynamicRef": ({"$defs": {"a": {"$dynamicAnchor": "a", "not": {}}}, "$dynamicRef": "#a"}, 1),
    "$recursiveRef": ({"properties": {"a": {"$recursiveRef": "#"}}, "type": "object"}, {"a": 1}),
    "$ref": ({"definitions": {"a": False}, "$ref": "#/definitions/a"}, 1),
    "additionalItems": ({"items": [True], "additionalItems": False}, [1, 2]),
    "additionalProperties": ({"additionalProperties": False}, {"a": 1}),
    "allOf": ({"allOf": [False]}, 1),
    "anyOf": ({"anyOf": [False]}, 1),
    "const": ({"const": 2}, 1),
    "contains": ({"contains": False}, [1]),
    "contentEncoding": ({"contentEncoding": "base64"}, "%"),
    "contentMediaType": ({"contentMediaType": "application/json"}, "{"),
    "contentSchema": ({"contentMediaType": "application/json", "contentSchema": False}, "1"),
    "dependencies": ({"dependencies": {"a": ["b"]}}, {"a": 1}),
    "dependentRequired": ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    "dependentSchemas": ({"dependentSchemas": {"a": False}}, {"a": 1}),
    "else": ({"if": False, "else": False}, 1),
    "enum": ({"enum": [2]}, 1),
    "exclusiveMaximum": ({"exclusiveMaximum": 1}, 1),
    "exclusiveMinimum": ({"exclusiveMinimum": 1}, 1),
    "format": ({"format": "date"}, "x"),
    "if": ({"if": True, "then": False}, 1),
    "items": ({"items": False}, [1]),
    "maxContains": ({"contains": True, "maxContains": 1}, [1, 2]),
    "maxItems": ({"maxItems": 0}, [1]),
    "maxLength": ({"maxLength": 0}, "a"),
    "maxProperties": ({"maxProperties": 0}, {"a": 1}),
    "maximum": ({"maximum": 0}, 1),
    "minContains": ({"contains": True, "minContains": 2}, [1]),
    "minItems": ({"minItems": 1}, []),
    "minLength": ({"minLength": 1}, ""),
    "minProperties": ({"minProperties": 1}, {}),
    "minimum": ({"minimum": 2}, 1),
    "multipleOf": ({"multipleOf": 2}, 1),
    "not": ({"not": True}, 1),
    "oneOf": ({"oneOf": [False]}, 1),
    "pattern": ({"pattern": "^a"}, "b"),
    "patternProperties": ({"patternProperties": {"a": False}}, {"a": 1}),
    "prefixItems": ({"prefixItems": [False]}, [1]),
    "properties": ({"properties": {"a": False}}, {"a": 1}),
    "propertyNames": ({"propertyNames": False}, {"a": 1}),
    "required": ({"required": ["a"]}, {}),
    "then": ({"if": True, "then": False}, 1),
    "type": ({"type": "string"}, 1),
    "unevaluatedItems": ({"unevaluatedItems": False}, [1]),
    "unevaluatedProperties": ({"unevaluatedProperties": False}, {"a": 1}),
    "uniqueItems": ({"uniqueItems": True}, [1, 1]),
}


@pytest.mark.parametrize("draft", Draft)
def test_a_keyword_is_asserted_if_the_validator_refuses_a_value_by_it(draft: Draft) -> None:
    refused = set()
    for keyword, (schema, value) in REFUSING.items():
        if draft in drafts_of_keyword(keyword):
            refused |= set() if compiled({"$schema": draft.value, **schema}).is_valid(value) else {keyword}
    assert refused == {keyword for keyword in KEYWORDS if keyword in ASSERTED[draft]}
