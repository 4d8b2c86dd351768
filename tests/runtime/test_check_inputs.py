"""check_inputs: the schema decides, and values stay unchanged."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from shop.catalog import CREATE_ORDER
from shop.tools.create_order import CreateOrderTool
from toolgen.runtime import ToolDefinition, ToolError

from tests.runtime.tool_factory import make_tool

SKU = st.tuples(st.text("AEIOUXYZ", min_size=2, max_size=2), st.integers(min_value=0)).map(
    lambda parts: "{}-{}".format(*parts)
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(
            st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=3), part, max_size=3
        )
    ),
    max_leaves=8,
)
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "sku": st.sampled_from(["AB-1", "ab-1", "", 7]),
        "quantity": st.integers(-1, 3) | JSON,
        "x": JSON,
    },
)
ORDER = st.fixed_dictionaries(
    {},
    optional={
        "supplier_id": st.integers(-1, 9) | st.just(10**40) | st.just(2.0) | JSON,
        "items": st.lists(ITEM, max_size=2) | JSON,
        "priority": st.sampled_from(["low", "urgent", "Low", None]),
        "from": st.dates().map(str) | st.just("2025-02-30") | JSON,
        "extra": JSON,
    },
)
GOOD_ITEM = st.fixed_dictionaries({"sku": SKU, "quantity": st.integers(min_value=1)})
GOOD_ORDER = st.fixed_dictionaries(
    {"supplier_id": st.integers(min_value=1), "items": st.lists(GOOD_ITEM, min_size=1, max_size=3)},
    optional={"priority": st.sampled_from(["low", "normal", "urgent"]), "from": st.dates().map(str)},
)


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=False)
    class_: str | int | None = Field(None, alias="class")
    tree: Any = None
    flags: list[bool | None] | None = None


LOOSE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "class": {"type": ["string", "integer"]},
        "tree": {"$ref": "#/$defs/tree"},
        "flags": {"type": "array", "items": {"type": ["boolean", "null"]}, "maxItems": 2},
    },
    "if": {"required": ["class"]},
    "then": {"maxProperties": 3},
    "$defs": {"tree": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}},
}
LOOSE = st.fixed_dictionaries(
    {},
    optional={
        "class": st.integers() | st.text(max_size=3) | JSON,
        "tree": st.recursive(st.none(), lambda part: st.lists(part, max_size=2)) | JSON,
        "flags": st.lists(st.booleans() | st.none(), max_size=3) | JSON,
        "more": JSON,
    },
)


async def nothing(self: Any, request: Any, context: Any) -> None: ...


LooseTool = type(make_tool(nothing, request_model=Loose, input_schema=LOOSE_SCHEMA, coerce=False))


class ExactOrderTool(CreateOrderTool):
    definition: ClassVar[ToolDefinition] = {**CREATE_ORDER, "coerce": False}


def agree(tool: Any, schema: Any, raw: dict[str, Any]) -> None:
    """Assert that the tool accepts what the validator accepts, unchanged, and describes each refusal."""
    before = json.dumps(raw)
    if jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(raw):
        request = tool.check_inputs(raw)
        assert request.model_dump(mode="json", by_alias=True, exclude_unset=True) == raw
    else:
        with pytest.raises(ToolError) as caught:
            tool.check_inputs(raw)
        assert caught.value.code == "invalid_request"
        lines = caught.value.message.split("\n")
        assert len(lines) > 1
        assert all(line.startswith("- $") or line.startswith("- and ") for line in lines[1:])
        assert all(line.isprintable() for line in lines)
    assert json.dumps(raw) == before


@settings(deadline=None)
@given(ORDER | GOOD_ORDER)
def test_orders(raw: dict[str, Any]) -> None:
    agree(ExactOrderTool, CREATE_ORDER["input_schema"], raw)


@settings(deadline=None)
@given(LOOSE)
def test_loose_schemas(raw: dict[str, Any]) -> None:
    agree(LooseTool, LOOSE_SCHEMA, raw)


def test_an_integer_written_as_a_float_is_accepted() -> None:
    items = [{"sku": "AB-1", "quantity": 1e20}]
    request = CreateOrderTool.check_inputs({"supplier_id": 5.0, "items": items})
    assert (request.supplier_id, request.items[0].quantity) == (5, 10**20)


@pytest.mark.parametrize(
    ("raw", "got"),
    [
        ([1], "an array of 1 item"),
        (3, "the number 3"),
        (float("nan"), "a value that is not JSON"),
        (object(), "a value that is not JSON"),
    ],
)
def test_arguments_that_are_not_an_object_are_refused(raw: Any, got: str) -> None:
    with pytest.raises(ToolError) as caught:
        type(make_tool(nothing)).check_inputs(raw)
    assert (
        caught.value.message
        == f"Invalid arguments for x:\n- $: expected an object with the arguments, got {got}"
    )


def test_faults_are_also_data() -> None:
    with pytest.raises(ToolError) as caught:
        CreateOrderTool.check_inputs({"supplier_id": 0, "items": [{}]})
    faults = caught.value.details["faults"]
    assert {"path": "$.supplier_id", "message": "expected at least 1, got 0"} in faults
    assert len(faults) == 3
