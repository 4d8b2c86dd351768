"""Pages of any size have the same items, and they end."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime import BaseTool, ToolContext, Toolkit
from toolgen.runtime.tool_spec import ToolSpec
from toolgen.testing.results import Failure
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.tool_under_test import ExpectedCall, Pages, ToolUnderTest
from toolgen.testing.toolkit_subject import Fixtures, ToolkitSubject

from tests.testing.shop import PLACE

ORDERS = [{"id": number, "part": f"part {number % 3}"} for number in range(7)]
INPUT = {"type": "object", "additionalProperties": False, "properties": {"cursor": {"type": "string"}}}
OUTPUT = {
    "type": "object",
    "required": ["orders"],
    "properties": {"orders": {"type": "array", "items": {"type": "object"}}, "next": {"type": "string"}},
}
POINTERS = {"items": "/orders", "cursor": "/next", "from": "/cursor"}


class Lists(BaseTool[Any, Any]):
    """A correct list, with pages of three orders of its own."""

    spec = ToolSpec(
        name="list",
        description="List orders.",
        input_schema=INPUT,
        output_schema=OUTPUT,
        max_result_bytes=10_000,
        page=POINTERS,
    )
    step = 3

    def execute(self, request: Any, context: ToolContext) -> Any:
        start = int(request.get("cursor") or 0)
        page = {"orders": ORDERS[start : start + 3]}
        return page | ({"next": str(start + self.step)} if start + 3 < len(ORDERS) else {})


class Repeats(Lists):
    step = 2


class ChangesItsOrder(Lists):
    """Each page of the runtime asks again, and gets another order, with fresh data, too."""

    turn = 0

    def execute(self, request: Any, context: ToolContext) -> Any:
        ChangesItsOrder.turn += 1
        turned = self.turn % len(ORDERS)
        return {"orders": [*ORDERS[turned:], *ORDERS[:turned]]}


def pages(kind: type[Lists]) -> list[Failure]:
    tool = ToolUnderTest(
        "list",
        PLACE,
        INPUT,
        OUTPUT,
        read_only=True,
        pages=Pages("/orders", "/next", "/cursor"),
        examples=(ExpectedCall("all", {}, PLACE),),
    )
    subject = ToolkitSubject(Fixtures("none", lambda folder: Toolkit([kind()])), ())
    report = ToolRunner(tool, subject, RunOptions(max_calls=0)).run()
    return [failure for failure in report.failures if failure.check == "pages"]


def test_pages_that_add_up_pass() -> None:
    assert pages(Lists) == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Repeats, "page 2 repeats an item"),
        (ChangesItsOrder, "repeats an item of an earlier page"),
    ],
)
def test_pages_that_do_not_add_up_are_found(kind: type[Lists], words: str) -> None:
    (failure,) = pages(kind)

    assert words in failure.message
    assert failure.command == "toolgen call list --input '{}'"
