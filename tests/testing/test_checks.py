"""Each check accepts an implementation that keeps its promise, and finds one that does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from toolgen.runtime import BaseTool, ToolContext
from toolgen.runtime.definition.semantics.only_if import OnlyIf
from toolgen.testing.checks import CHECKS
from toolgen.testing.tool_under_test import ExpectedCall

from tests.testing.shop import (
    INPUT,
    LOOKUPS,
    PLACE,
    Lines,
    Lookup,
    Order,
    Shop,
    ShortStockError,
    failures,
    run,
    save,
    spec,
    state,
)

READS: dict[str, Any] = {"read_only": True, "idempotent": True, "examples": LOOKUPS}
ASKS: dict[str, Any] = {
    "confirms": True,
    "previews": True,
    "destructive": True,
    "idempotent": True,
    "examples": (ExpectedCall("order", {"sku": "tyre"}, PLACE, True, {"left": 0}),),
}
ON_GO: dict[str, Any] = {
    **ASKS,
    "only_if": OnlyIf(("go",), default=False),
    "examples": (
        ExpectedCall("preview", {"sku": "bell"}, PLACE, True, {"left": 0}),
        ExpectedCall("order", {"sku": "tyre", "go": True}, PLACE, True, {"left": 0}),
    ),
}
RECORDED: dict[str, Any] = {
    "outcomes_file": "tests/outcomes/take.json",
    "outcomes": {"unknown": {"error": {"code": "unknown_sku", "message": "There is no moon."}}},
}
STREAMS: dict[str, Any] = {
    "chunk_schema": {"type": "string", "description": "A line."},
    "examples": (ExpectedCall("two", {"lines": ["a", "b"]}, PLACE, True, {"lines": ["a", "b"]}),),
}


class WrongOutput(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        found = await super().execute(request, context)
        return {"left": found["left"] + 1}


class WrongError(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        if request["sku"] == "moon":
            raise ShortStockError
        return await super().execute(request, context)


class FailsOnLongNames(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        if len(request["sku"]) > 4:
            raise KeyError(request["sku"])
        return await super().execute(request, context)


class Counts(Lookup):
    def execute(self, request: Any, context: ToolContext) -> Any:
        found = super().execute(request, context)
        save(self.folder, {**state(self.folder), "seen": state(self.folder).get("seen", 0) + 1})
        return found


class Remembers(Lookup):
    def __init__(self) -> None:
        self._first: Any = None

    def execute(self, request: Any, context: ToolContext) -> Any:
        self._first = self._first or super().execute(request, context)
        return self._first


class WritesBeforeItChecks(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        save(self.folder, {**state(self.folder), "last": request["sku"]})
        return await super().execute(request, context)


class OrdersTwice(Order):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        data = state(self.folder)
        data["orders"] = data.get("orders", 0) + 1
        save(self.folder, data)
        return {"left": 0}


class ActsOnPreview(Order):
    def preview(self, request: Any, context: ToolContext) -> str:
        save(self.folder, {**state(self.folder), "shown": 1})
        return super().preview(request, context)


class HidesUnits(Order):
    """The preview shows which article is ordered, and not how many."""

    async def execute(self, request: Any, context: ToolContext) -> Any:
        data = state(self.folder)
        data[f"order {request['sku']}"] = request.get("units", 1)
        save(self.folder, data)
        return {"left": 0}


class ShowsUnits(HidesUnits):
    def preview(self, request: Any, context: ToolContext) -> str:
        return f"Order {request.get('units', 1)} x {request['sku']}."


GO: dict[str, Any] = {"type": "boolean", "default": False}
WITH_GO = {**INPUT, "properties": {**INPUT["properties"], "go": GO}}


class OrdersOnGo(Order):
    """A call without `go` is only previewed."""

    spec = spec(
        "order",
        input_schema=WITH_GO,
        confirm={"message": "Order?", "preview": True, "only_if": "/go"},
    )

    def preview(self, request: Any, context: ToolContext) -> Any:
        return f"Order {request['sku']}." if request.get("go") else {"left": 0}


class OrdersAnyway(OrdersOnGo):
    def preview(self, request: Any, context: ToolContext) -> Any:
        if not request.get("go"):
            save(self.folder, {**state(self.folder), "shown": 1})
        return super().preview(request, context)


class Signed(Order):
    """People must sign each order."""

    spec = spec(
        "order",
        confirm={"message": "Order?", "preview": True, "proof": "person", "approvers": ["ops"], "quorum": 2},
    )

    async def execute(self, request: Any, context: ToolContext) -> Any:
        assert context.approval is not None
        assert len(context.approval.approvers) == 2
        context.check_approval(self.preview(request, context))
        return await super().execute(request, context)


class NeverTheSame(Signed):
    def preview(self, request: Any, context: ToolContext) -> str:
        return f"Order {uuid4()}."


class StopsHalfway(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        before = state(self.folder)
        save(self.folder, {**before, "busy": True})
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        save(self.folder, before)
        return await super().execute(request, context)


class LosesUpdates(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        stock = state(self.folder)
        await asyncio.sleep(0)
        await super().execute(request, context)  # raises if it has to
        stock[request["sku"]] -= request.get("units", 1)
        save(self.folder, stock)
        return {"left": stock[request["sku"]]}


class DropsChunk(Lines):
    async def execute(self, request: Any, context: ToolContext) -> AsyncIterator[Any]:
        async for item in super().execute(request, context):
            if item != "a":
                yield item


@pytest.mark.parametrize(
    ("kind", "promises"),
    [
        (Shop, {}),
        (Lookup, READS),
        (Order, ASKS),
        (Signed, {**ASKS, "needs_people": True}),
        (ShowsUnits, ASKS),
        (Lines, STREAMS),
        (OrdersOnGo, ON_GO),
    ],
    ids=str,
)
def test_a_correct_implementation_passes_every_check(
    kind: type[BaseTool[Any, Any]], promises: dict[str, Any]
) -> None:
    report = run(kind, **promises)
    assert report.failures == ()
    assert report.calls >= 30


@pytest.mark.parametrize(
    ("kind", "promises", "check", "words"),
    [
        (WrongOutput, {}, "example", "example 'take two' has another output"),
        (
            WrongError,
            {},
            "example",
            "ends with short_stock (The tool could not do what was asked.), not with",
        ),
        (
            Shop,
            RECORDED,
            "outcomes",
            "example 'unknown' has another outcome than tests/outcomes/take.json has",
        ),
        (FailsOnLongNames, {"examples": ()}, "answers", "internal_error (KeyError"),
        (Counts, READS, "read-only", "a read-only tool changed the state"),
        (
            Remembers,
            READS,
            "independent-calls",
            "ends with a result after other calls, and with another result before",
        ),
        (OrdersTwice, ASKS, "idempotent", "changed the state again"),
        (ActsOnPreview, ASKS, "consent", "the state changed although"),
        (NeverTheSame, {**ASKS, "needs_people": True}, "consent", "people can never approve the call"),
        (OrdersAnyway, ON_GO, "consent", "the state changed although only a preview was wanted"),
        (
            HidesUnits,
            ASKS,
            "shown",
            "calls with the same question do different things; it does not show units",
        ),
        (WritesBeforeItChecks, {}, "failed-calls", "and changed the state"),
        (StopsHalfway, {}, "cancelled-calls", "left part of its work"),
        (LosesUpdates, {}, "concurrent-calls", "two calls at once left another state"),
        (DropsChunk, STREAMS, "stream", "the chunks do not add up to 'lines'"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_broken_promise_is_found(kind: type[Any], promises: dict[str, Any], check: str, words: str) -> None:
    found = failures(kind, **promises)
    assert words in found[check].message


def test_every_check_has_a_refused_case() -> None:
    (marks,) = (
        mark
        for mark in test_a_broken_promise_is_found.pytestmark  # type: ignore[attr-defined]
        if mark.name == "parametrize"
    )
    assert {case[2] for case in marks.args[1]} == {check.name for check in CHECKS}


def test_a_failure_has_a_small_request_and_the_command_that_repeats_it() -> None:
    failure = failures(FailsOnLongNames, examples=(), scopes=("stock",))["answers"]
    assert failure.command.startswith("toolgen call take --scopes stock --input ")
    assert '"units"' not in failure.command, "what the failure does not need is left out"
    assert failure.place == PLACE


def test_an_example_shows_the_difference() -> None:
    (failure, *_) = run(WrongOutput, examples_only=True).failures
    assert failure.diff == ("@@ -1,3 +1,3 @@", " {", '-  "left": 3', '+  "left": 4', " }")


def test_without_snapshots_the_checks_that_need_them_are_reported() -> None:
    from toolgen.testing.runner import RunOptions, ToolRunner
    from toolgen.testing.toolkit_subject import ToolkitSubject

    from tests.testing.shop import fixtures, tool

    subject = ToolkitSubject(fixtures(Counts, with_state=False), ())
    report = ToolRunner(tool(Counts, **READS), subject, RunOptions(max_calls=5)).run()
    assert report.failures == ()
    assert report.not_checked == {"read-only": "there is no fixture toolgen_state"}


def test_the_same_seed_makes_the_same_calls(tmp_path: Path) -> None:
    calls: list[list[str]] = []

    class Records(Lookup):
        def execute(self, request: Any, context: ToolContext) -> Any:
            calls[-1].append(str(request))
            return super().execute(request, context)

    for _ in range(2):
        calls.append([])
        run(Records, **READS)
    assert calls[0] == calls[1]
    assert len(set(calls[0])) > 10
