"""A server as the MCP SDK's own documentation writes one."""

from mcp.server.mcpserver import MCPServer

mcp = MCPServer("shop")
PRICES = {"bell": 12.5, "tyre": 30.0}


@mcp.tool()
def price(article: str) -> float:
    """Return the price of an article in euros."""
    return PRICES[article]


@mcp.tool()
def articles() -> list[str]:
    """List all articles."""
    return sorted(PRICES)
