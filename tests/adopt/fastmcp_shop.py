"""A shop as a FastMCP server, with a tool for each way to write one in its documentation.

It runs only in projects that the tests make: `test_fastmcp_server.py` copies it.
"""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Literal

from fastmcp import Context, FastMCP
from fastmcp.dependencies import CurrentHeaders, Depends
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from fastmcp.tools.tool_transform import ArgTransform
from fastmcp.utilities.types import Audio, File, Image
from mcp_types import TextContent, ToolAnnotations
from pydantic import BaseModel, Field

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c626001000000050001a5f645400000000049454e44ae426082"
)


@asynccontextmanager
async def lifespan(server):
    yield {"stock": {"bolt": 40, "nut": 8}}


mcp = FastMCP("Shop", version="2.1", instructions="Tools of a shop.", lifespan=lifespan)


class Line(BaseModel):
    sku: str
    quantity: Annotated[int, Field(ge=1)] = 1


@dataclass
class Order:
    number: int
    lines: int


def get_prices() -> dict[str, float]:
    return {"bolt": 0.25, "nut": 0.1}


@mcp.tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    Args:
        a: The first one.
    """
    return a + b


@mcp.tool(
    name="place-order",
    title="Place an order",
    tags={"orders", "write"},
    version="1.2",
    timeout=20,
    annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=True),
    meta={"team": "sales"},
)
async def place_order(lines: list[Line], note: str | None = None) -> Order:
    """Order something."""
    await asyncio.sleep(0)
    return Order(number=7, lines=sum(line.quantity for line in lines))


@mcp.tool
async def stock(sku: str, ctx: Context) -> str:
    """Look up the stock."""
    await ctx.info(f"looking for {sku}")
    await ctx.report_progress(1, 2)
    return f"{ctx.lifespan_context['stock'][sku]} of {sku} for {ctx.fastmcp.name}"


@mcp.tool
def price(sku: str, prices: dict[str, float] = Depends(get_prices)) -> float:  # noqa: B008
    """Look up a price."""
    if sku not in prices:
        raise ToolError(f"no thing {sku}; call list_things first")
    return prices[sku]


@mcp.tool
def chart(kind: Literal["bar", "pie"] = "bar") -> Image:
    """Draw a chart."""
    return Image(data=PNG, format="png")


@mcp.tool
def report() -> ToolResult:
    """Make a report."""
    return ToolResult(
        content=[TextContent(type="text", text="All is well.")],
        structured_content={"ok": True, "n": 3},
        meta={"took": 12},
    )


@mcp.tool
def divide(a: float, b: float) -> float:
    """Divide."""
    return a / b


@mcp.tool
def forget(sku: str) -> None:
    """Forget a thing."""


class Store:
    def __init__(self, name: str) -> None:
        self.name = name

    def where(self, shelf: int) -> list[str]:
        """Where is it?"""
        return [self.name, str(shelf)]


store = Store("Main Street")
mcp.tool(store.where)


def search(query: str, limit: int = 10, api_key: str = "secret") -> dict:
    """Search."""
    return {"query": query, "limit": limit, "key": len(api_key)}


@mcp.tool
async def who(ctx: Context, headers: dict[str, str] = CurrentHeaders()) -> dict[str, str | bool]:  # noqa: B008
    """Say who calls."""
    return {"server": ctx.fastmcp.name, "request": bool(ctx.request_id), "headers": str(headers)}


@mcp.tool
def files() -> list:
    """Return everything at once."""
    return [
        "text",
        Image(data=PNG, format="png"),
        Audio(data=b"RIFF", format="wav"),
        File(data=b"%PDF-1.4", format="pdf"),
        {"n": 1},
    ]


@mcp.tool
def fails() -> ToolResult:
    """Return an error."""
    return ToolResult(
        content=[TextContent(type="text", text="a"), TextContent(type="text", text="b")], is_error=True
    )


class Timing(Middleware):
    """Counts the calls."""

    calls = 0

    async def on_call_tool(self, context: MiddlewareContext, call_next: CallNext) -> ToolResult:
        Timing.calls += 1
        return await call_next(context)


@mcp.tool
def calls_so_far() -> int:
    """Count calls, which a middleware sees."""
    return int(Timing.calls > 0)


@mcp.tool(tags={"internal"})
def internal() -> int:
    """Is not listed."""
    return 1


mcp.disable(tags={"internal"})
mcp.add_middleware(Timing())
other = FastMCP("Other")


@other.tool
def ping() -> str:
    """Answer."""
    return "pong"


mcp.mount(other, namespace="other")


mcp.add_tool(
    Tool.from_tool(
        Tool.from_function(search),
        name="find",
        transform_args={"api_key": ArgTransform(hide=True, default="abc"), "query": ArgTransform(name="q")},
    )
)


@mcp.resource("shop://about")
def about() -> str:
    return "A shop."


@mcp.resource("shop://items/{sku}")
def item(sku: str) -> str:
    return sku


@mcp.prompt
def ask(topic: str) -> str:
    """Ask about a topic."""
    return f"What about {topic}?"


def helper(x: int) -> int:
    return x


if __name__ == "__main__":
    mcp.run()
