"""A small tool with a state, and mistakes that can be put into it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from toolgen.language.source import Span
from toolgen.runtime import BaseTool, ToolContext, ToolError, Toolkit, ToolResult
from toolgen.runtime.tool_spec import ToolSpec
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest
from toolgen.testing.toolkit_subject import Fixtures, ToolkitSubject

PLACE = Span("specs/tool.yaml", 1, 7)
STOCK = {"tyre": 5, "bell": 2}

INPUT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sku"],
    "properties": {
        "sku": {"type": "string", "maxLength": 20},
        "units": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
    },
}
OUTPUT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["left"],
    "properties": {"left": {"type": "integer", "minimum": 0}},
}


class UnknownSkuError(ToolError):
    code = "unknown_sku"


class ShortStockError(ToolError):
    code = "short_stock"


def state(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "state.json").read_text())
    return data


def save(folder: Path, data: dict[str, Any]) -> None:
    """Replace the state whole: a cancelled call may still read it in its thread."""
    with NamedTemporaryFile("w", dir=folder, delete=False) as new:
        json.dump(data, new)
    os.replace(new.name, folder / "state.json")


def spec(name: str, **more: Any) -> ToolSpec:
    errors = (UnknownSkuError, ShortStockError)
    fields = {"input_schema": INPUT, "output_schema": OUTPUT, "errors": errors, **more}
    return ToolSpec(name=name, description="A tool of a shop.", **fields)


class Shop(BaseTool[Any, Any]):
    """A correct tool: subclasses make one mistake each. `folder` has its data."""

    spec = spec("take")
    folder: Path

    async def execute(self, request: Any, context: ToolContext) -> Any:
        stock = state(self.folder)
        sku, units = request["sku"], request.get("units", 1)
        if sku not in stock:
            raise UnknownSkuError
        if stock[sku] < units:
            raise ShortStockError
        stock[sku] -= units
        save(self.folder, stock)
        return {"left": stock[sku]}


EXAMPLES = (
    ExpectedCall("take two", {"sku": "tyre", "units": 2}, PLACE, True, {"left": 3}),
    ExpectedCall("take one", {"sku": "bell"}, PLACE, True, {"left": 1}),
    ExpectedCall("unknown", {"sku": "moon"}, PLACE, error="unknown_sku"),
    ExpectedCall("too many", {"sku": "bell", "units": 3}, PLACE, error="short_stock"),
)


def tool(kind: type[BaseTool[Any, Any]], **promises: Any) -> ToolUnderTest:
    """Return what is tested of a class, with the promises of a spec."""
    definition = kind.definition
    values = {
        "output_schema": definition.get("output_schema"),
        "errors": tuple(error.code for error in kind.errors),
        "examples": EXAMPLES,
        **promises,
    }
    return ToolUnderTest(definition["name"], PLACE, definition["input_schema"], **values)


def fixtures(kind: type[Any], *, with_state: bool = True) -> Fixtures:
    """Return fixtures that make a toolkit of one tool with fresh data."""

    def make(folder: Path) -> Toolkit:
        save(folder, STOCK)
        instance = kind()
        instance.folder = folder
        return Toolkit([instance])

    return Fixtures("none", make, state if with_state else None)


def run(
    kind: type[Any], *, seed: str = "0", max_calls: int = 40, examples_only: bool = False, **promises: Any
) -> ToolReport:
    """Test a class against promises."""
    options = RunOptions(seed, max_calls, examples_only)
    subject = ToolkitSubject(fixtures(kind), promises.get("scopes", ()))
    return ToolRunner(tool(kind, **promises), subject, options).run()


def failures(kind: type[Any], **promises: Any) -> dict[str, Failure]:
    """Return the first failure of each check."""
    found: dict[str, Failure] = {}
    for failure in run(kind, **promises).failures:
        found.setdefault(failure.check, failure)
    return found


class Lookup(Shop):
    """A correct read-only tool."""

    spec = spec("look")

    def execute(self, request: Any, context: ToolContext) -> Any:
        stock = state(self.folder)
        if request["sku"] not in stock:
            raise UnknownSkuError
        return {"left": stock[request["sku"]]}


LOOKUPS = (
    ExpectedCall("tyres", {"sku": "tyre"}, PLACE, True, {"left": 5}),
    ExpectedCall("bells", {"sku": "bell"}, PLACE, True, {"left": 2}),
    ExpectedCall("unknown", {"sku": "moon"}, PLACE, error="unknown_sku"),
)


class Order(Shop):
    """A correct tool that asks the user, after a preview; the same order twice is one order."""

    spec = spec("order", confirm={"message": "Order?", "preview": True})

    def preview(self, request: Any, context: ToolContext) -> str:
        return f"Order {request['sku']}."

    async def execute(self, request: Any, context: ToolContext) -> Any:
        data = state(self.folder)
        data[f"order {request['sku']}"] = 1
        save(self.folder, data)
        return {"left": 0}


class Lines(BaseTool[Any, Any]):
    """A correct stream."""

    spec = ToolSpec(
        name="lines",
        description="Streams lines.",
        input_schema={
            "type": "object",
            "properties": {"lines": {"type": "array", "items": {"type": "string"}}},
        },
        output_schema={
            "type": "object",
            "properties": {"lines": {"type": "array", "description": "All.", "items": {"type": "string"}}},
        },
        chunk_schema={"type": "string"},
    )
    folder: Path

    async def execute(self, request: Any, context: ToolContext) -> AsyncIterator[Any]:
        for line in request.get("lines", []):
            await asyncio.sleep(0)
            yield line
        yield ToolResult({"lines": request.get("lines", [])})
