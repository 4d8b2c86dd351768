"""Calls of the gallery's tools, and special tools, for tests of every bridge."""

from __future__ import annotations

import asyncio
from typing import Any

from toolgen.runtime import BaseTool, ToolContext, Toolkit

from tests.runtime.tool_factory import Anything, make_tool
from tests.scopes import SCOPES

ORDER: dict[str, Any] = {
    "supplier_id": 3,
    "location_id": 2,
    "order_number": "PO-2026-0005",
    "items": [{"sku": "CHN-11S", "quantity": 20}],
}
UNKNOWN_SUPPLIER = ORDER | {"supplier_id": 99}
NO_ORDER = {"supplier_id": "three"}
QUESTION = "Place order PO-2026-0005 with supplier 3, 1 lines?"
TOTAL = "Total: 498.00 EUR"  # of the preview

# Names that frameworks use for their own arguments.
ODD: dict[str, Any] = {
    "self": 1, "config": {"a": [1]}, "run_manager": "r", "callbacks": None, "title": "t", "ctx": "c",
    "arguments": [], "tool_call_id": "x", "runtime": 2.5, "big": 12345678901234567890, "Größe": "ü",
}  # fmt: skip


def text_of(toolkit: Toolkit, name: str, arguments: Any) -> str:
    """Return the text that every adapter returns for this call."""
    return asyncio.run(toolkit.call(name, arguments, scopes=SCOPES)).as_text()


def orders(toolkit: Toolkit) -> int:
    """Return the number of purchase orders."""
    query = {"query": "SELECT count(*) AS n FROM purchase_orders"}
    response = asyncio.run(toolkit.call("sql_query", query, scopes=SCOPES))
    assert response.success, response.as_text()
    found: int = response.content["rows"][0][0]
    return found


def mirror() -> BaseTool[Any, Any]:
    """A tool that returns its arguments."""
    properties: dict[str, Any] = {name: {"title": f"T {name}"} for name in ODD}
    schema = {"type": "object", "title": "Mirror", "properties": properties}
    return make_tool(_give_back, name="mirror", input_schema=schema)


async def _give_back(self: Any, request: Anything, context: ToolContext) -> Any:
    return request.model_dump()


def worker() -> BaseTool[Any, Any]:
    """A tool that reports progress, and returns the caller that the application passed."""
    return make_tool(_work, name="worker", inject=[{"name": "who"}])


async def _work(self: Any, request: Anything, context: ToolContext, *, who: str) -> Any:
    await context.report_progress(1, 2, "half")
    context.metadata["seen"] = 1
    return who


def asking(done: list[Any], **confirm: Any) -> BaseTool[Any, Any]:
    """A tool that needs confirmation, and appends its arguments to `done`."""

    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        done.append(request.model_dump())
        return "done"

    return make_tool(execute, name="asking", confirm={"message": "Do {n}?", **confirm})


def guarded() -> BaseTool[Any, Any]:
    """A tool that needs the scope orders:write."""

    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        return "in"

    return make_tool(execute, name="guarded", auth={"scopes": ["orders:write"]})


ALLOWED = frozenset({"orders:write"})


def conversation() -> BaseTool[Any, Any]:
    """A tool that streams its caller, session and number of calls, and reports progress."""

    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        await context.report_progress(1, 2, "half")
        context.extras["count"] = context.extras.get("count", 0) + 1
        yield {"principal": context.principal, "session": context.session_id}
        yield {"count": context.extras["count"]}

    return make_tool(execute, name="conversation", stream={"chunk_schema": {"type": "object"}})


def every_scope(native: Any) -> frozenset[str]:
    """Grant all scopes."""
    return SCOPES
