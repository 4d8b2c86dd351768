"""A server as FastMCP 4's own documentation writes one: tools with a context, and a resource."""

from typing import Annotated

from fastmcp import Context, FastMCP
from pydantic import Field

mcp = FastMCP("shop", version="1.4.0")
PRICES = {"bell": 12.5, "tyre": 30.0}


@mcp.tool(annotations={"readOnlyHint": True})
async def price(article: Annotated[str, Field(description="The article's name.")], context: Context) -> float:
    """Return the price of an article in euros."""
    await context.info(f"asked for {article}")
    return PRICES[article]


@mcp.tool
def articles() -> list[str]:
    """List all articles."""
    return sorted(PRICES)


@mcp.resource("shop://opening-hours")
def opening_hours() -> str:
    """Return when the shop is open."""
    return "9 to 5"
