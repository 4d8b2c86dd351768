"""check_inputs: the schema decides, and values stay unchanged."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from toolgen.runtime import ToolError

from tests.runtime.tool_factory import make_tool


class Order(BaseModel):
    supplier: int
    quantity: int


QUANTITY = {"type": "integer", "minimum": 1}
SCHEMA = {"properties": {"supplier": QUANTITY, "quantity": QUANTITY}, "required": ["supplier", "quantity"]}


async def nothing(self: Any, request: Any, context: Any) -> None: ...


ORDER = type(make_tool(nothing, request_model=Order, input_schema={"type": "object", **SCHEMA}))


def test_an_integer_written_as_a_float_is_accepted() -> None:
    request = ORDER.check_inputs({"supplier": 5.0, "quantity": 1e20})
    assert (request.supplier, request.quantity) == (5, 10**20)


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
        ORDER.check_inputs({"supplier": 0})
    faults = caught.value.details["faults"]
    assert {"path": "$.supplier", "message": "expected at least 1, got 0"} in faults
    assert len(faults) == 2
