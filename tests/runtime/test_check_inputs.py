"""check_inputs: the schema decides, and values stay unchanged."""

from __future__ import annotations

from typing import Any

import pytest
from shop.tools.create_order import CreateOrderTool
from toolgen.runtime import ToolError

from tests.runtime.tool_factory import make_tool


async def nothing(self: Any, request: Any, context: Any) -> None: ...


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
