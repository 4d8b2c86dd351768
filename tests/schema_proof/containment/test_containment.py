"""Pairs of schemas, with what is accepted by one and refused by the other."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.proof.containment import Contained, NotContained, Unanalysed, check_containment
from toolgen.schema.validator import compiled

from tests.samples import load_beside


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


PAIRS = load_beside(__file__, "containment.yaml")
STRICTLY_WIDER, EQUAL = PAIRS["strictly wider"], PAIRS["equal"]


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


def test_breaks_beside_unevaluated_properties_are_shown_and_nothing_else_is_proved() -> None:
    def schema(*types: str) -> dict[str, Any]:
        part = {"type": "object", "properties": {"a": {"type": [*types]}}}
        return {"allOf": [part], "unevaluatedProperties": False}

    assert check_containment(schema("string", "null"), schema("string")) == NotContained({"a": None})
    assert isinstance(check_containment(schema("string"), schema("string")), Contained)
    result = check_containment(schema("string"), schema("string", "null"))
    assert result == Unanalysed("`unevaluatedProperties` is not analysed", ("unevaluatedProperties",))


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
