"""Pairs of schemas, with what is accepted by one and refused by the other."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.proof.containment import Contained, NotContained, Unanalysed, check_containment
from toolgen.schema.validator import compiled

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


STRICTLY_WIDER: dict[str, tuple[Any, Any]] = {
    "type: integer": ({"type": "integer"}, {"type": "number"}),
    "type: not": ({"type": ["null", "boolean", "number", "array", "object"]}, {"not": {"const": ""}}),
    "enum": ({"enum": [1, "a"]}, {"enum": ["a", 1, 2]}),
    "enum: of a type": ({"enum": ["a", "b"]}, {"type": "string"}),
    "enum: objects": ({"enum": [{"a": 1}]}, {"type": "object", "required": ["a"]}),
    "const": ({"const": 1.0}, {"type": "integer"}),
    "minimum": ({"type": "number", "minimum": 3}, {"type": "number", "minimum": 2.5}),
    "exclusiveMinimum": ({"exclusiveMinimum": 3}, {"minimum": 3}),
    "maximum: integers": ({"type": "integer", "exclusiveMaximum": 3}, {"type": "integer", "maximum": 3}),
    "multipleOf": ({"multipleOf": 6}, {"multipleOf": 2}),
    "maxLength": ({"maxLength": 3}, {"maxLength": 4}),
    "pattern": ({"type": "string", "pattern": "^[a-z]+$"}, {"type": "string", "pattern": "^[a-zA-Z]+$"}),
    "format": ({"type": "string", "format": "date"}, {"type": "string"}),
    "properties": (
        {"properties": {"a": {"type": "string"}}},
        {"properties": {"a": {"type": ["string", "null"]}}},
    ),
    "properties: forbidden": ({"type": "object", "properties": {"a": False}}, {"type": "object"}),
    "required": ({"required": ["a", "b"]}, {"required": ["b"]}),
    "additionalProperties": (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "additionalProperties": {"type": "number"}},
    ),
    "patternProperties": (
        {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
        {"type": "object", "patternProperties": {"^x-y": {"type": "string"}}},
    ),
    "propertyNames": ({"propertyNames": {"maxLength": 2}}, {"propertyNames": {"maxLength": 3}}),
    "minProperties": ({"minProperties": 2}, {"minProperties": 1}),
    "maxProperties": ({"type": "object", "maxProperties": 0}, {"propertyNames": {"maxLength": 1}}),
    "dependentRequired": ({"required": ["b"]}, {"dependentRequired": {"a": ["b"]}}),
    "dependentSchemas": (
        {"dependentSchemas": {"a": {"required": ["b", "c"]}}},
        {"dependentRequired": {"a": ["b"]}},
    ),
    "items": ({"items": {"type": "integer"}}, {"items": {"type": "number"}}),
    "prefixItems": (
        {"prefixItems": [{"type": "string"}, {"type": "null"}]},
        {"prefixItems": [{"type": "string"}]},
    ),
    "minItems": ({"minItems": 2}, {"minItems": 1}),
    "maxItems": ({"type": "array", "maxItems": 1}, {"type": "array", "uniqueItems": True}),
    "uniqueItems": (
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
        {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
    ),
    "contains": ({"type": "array", "contains": {"type": "string"}}, {"type": "array", "minItems": 1}),
    "minContains": (
        {"contains": {"type": "string"}, "minContains": 2},
        {"contains": {"type": "string"}, "minContains": 1},
    ),
    "maxContains": (
        {"type": "array", "contains": {"const": 1}, "maxContains": 1},
        {"type": "array", "contains": {"const": 1}, "maxContains": 2},
    ),
    "allOf": ({"allOf": [{"minimum": 1}, {"maximum": 3}]}, {"minimum": 1}),
    "anyOf": ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": ["string", "number"]}),
    "oneOf": ({"oneOf": [{"minimum": 1}, {"maximum": 3}]}, {"anyOf": [{"minimum": 1}, {"maximum": 3}]}),
    "not": ({"not": {"type": ["string", "null"]}}, {"not": {"type": "null"}}),
    "if": (
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
        {"anyOf": [{"required": ["b"]}, {"required": ["c"]}]},
    ),
    "unevaluatedProperties": (
        {
            "type": "object",
            "anyOf": [
                {"properties": {"a": True}, "required": ["a"]},
                {"properties": {"b": True}, "required": ["b"]},
            ],
            "unevaluatedProperties": False,
        },
        closed(a=True, b=True),
    ),
    "unevaluatedItems": (
        {"type": "array", "allOf": [{"prefixItems": [True]}], "unevaluatedItems": False},
        {"type": "array", "maxItems": 2},
    ),
    "draft-07: items": (
        {"$schema": DRAFT_7, "items": [{"type": "string"}], "additionalItems": {"type": "null"}},
        {"$schema": DRAFT_7, "items": [{"type": "string"}]},
    ),
    "draft-07: dependencies": (
        {"$schema": DRAFT_7, "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}},
        {"$schema": DRAFT_7, "dependencies": {"a": ["b"]}},
    ),
    "draft-07: $ref has no siblings": (
        {
            "$schema": DRAFT_7,
            "definitions": {"a": {"type": "string"}},
            "$ref": "#/definitions/a",
            "maxLength": 1,
        },
        {"$schema": DRAFT_7, "type": ["string", "null"]},
    ),
}
"""Pairs of which the second schema accepts all that the first one does, and more."""

EQUAL: dict[str, tuple[Any, Any]] = {
    "annotations": ({"type": "string", "title": "a", "x-y": 1}, {"type": "string", "default": "b"}),
    "definitions": (
        {"$defs": {"a": {"type": "string"}}, "properties": {"b": {"$ref": "#/$defs/a"}}},
        {"properties": {"b": {"type": "string"}}},
    ),
    "loops": (
        {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}, "type": "object"}}, "$ref": "#/$defs/a"},
        {"type": "object", "properties": {"b": {"$ref": "#"}}},
    ),
    "false": ({"type": "string", "minLength": 2, "maxLength": 1}, {"allOf": [{"minimum": 1}, False]}),
    "$dynamicRef": (
        {"$defs": {"a": {"$dynamicAnchor": "x", "type": "string"}}, "items": {"$dynamicRef": "#x"}},
        {"items": {"type": "string"}},
    ),
    "recursion without an end": (
        {
            "$defs": {"a": {"type": "object", "required": ["b"], "properties": {"b": {"$ref": "#/$defs/a"}}}},
            "$ref": "#/$defs/a",
        },
        {"not": {}},
    ),
    "formats are not asserted": ({"format": "color"}, {}),
}

TREE = {
    "$defs": {
        "node": closed(value={"type": "integer"}, nodes={"type": "array", "items": {"$ref": "#/$defs/node"}})
    },
    "$ref": "#/$defs/node",
}


def assert_witness(witness: Any, narrow: Any, wide: Any) -> None:
    assert compiled({"allOf": [narrow]} if isinstance(narrow, bool) else narrow).is_valid(witness)
    assert not compiled({"allOf": [wide]} if isinstance(wide, bool) else wide).is_valid(witness)


@pytest.mark.parametrize(("narrow", "wide"), STRICTLY_WIDER.values(), ids=STRICTLY_WIDER)
def test_a_wider_schema_contains_the_narrow_one_and_not_the_other_way_round(narrow: Any, wide: Any) -> None:
    assert check_containment(narrow, wide) == Contained()
    result = check_containment(wide, narrow)
    assert isinstance(result, NotContained)
    assert_witness(result.witness, wide, narrow)


@pytest.mark.parametrize(("first", "second"), EQUAL.values(), ids=EQUAL)
def test_schemas_that_accept_the_same_values_contain_each_other(first: Any, second: Any) -> None:
    assert check_containment(first, second) == Contained()
    assert check_containment(second, first) == Contained()


def test_a_witness_shows_the_change_deep_inside_a_recursive_schema() -> None:
    changed = {
        "$defs": {"node": {**TREE["$defs"]["node"], "maxProperties": 1}},  # type: ignore[index]
        "$ref": "#/$defs/node",
    }
    assert check_containment(changed, TREE) == Contained()
    result = check_containment(
        {"type": "array", "items": TREE, "$defs": TREE["$defs"]},
        {"items": changed, "$defs": changed["$defs"]},
    )
    assert result == NotContained([{"value": 0, "nodes": []}])


def test_a_witness_has_what_is_required_and_what_changed_and_nothing_else() -> None:
    old = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "limit": {"type": "integer"}, "tags": {"type": "array"}},
        "required": ["id"],
    }
    new = {**old, "properties": {**old["properties"], "limit": {"type": "integer", "maximum": 100}}}  # type: ignore[dict-item]
    assert check_containment(old, new) == NotContained({"id": "", "limit": 101})


@pytest.mark.parametrize(
    "malformed",
    [
        {"type": "text"},
        {"enum": 5},
        {"$dynamicRef": 5},
        {"pattern": "("},
        {"$ref": "https://example.com/other.json"},
    ],
    ids=str,
)
def test_a_schema_that_the_validator_refuses_is_not_analysed(malformed: Any) -> None:
    result = check_containment({"type": "string"}, malformed)
    assert isinstance(result, Unanalysed)
    assert result.side == "wide"


@pytest.mark.parametrize("union", ["oneOf", "anyOf"])
@pytest.mark.parametrize("is_discriminated", [True, False])
def test_one_variant_of_a_large_union_is_compared_with_its_counterpart(
    union: str, is_discriminated: bool
) -> None:
    def variants(last: Any) -> dict[str, Any]:
        kinds = [{"const": f"k{index}"} if is_discriminated else {"type": "string"} for index in range(60)]
        objects = [closed(kind=kind, **{f"p{index}": {}}) for index, kind in enumerate(kinds)]
        for index, one in enumerate(objects):
            one["required"] = ["kind", f"p{index}"]
        objects[30]["properties"]["p30"] = last
        return {union: objects}

    narrow, wide = variants({"type": "integer"}), variants({"type": "number"})
    assert check_containment(narrow, wide) == Contained()
    result = check_containment(wide, narrow)
    assert isinstance(result, NotContained)
    assert result.witness["p30"] == 0.5
