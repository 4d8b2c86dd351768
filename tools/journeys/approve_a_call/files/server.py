"""A server that somebody else writes: its refund asks nobody."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("shop", version="1.2")


@server.tool()
def refund(order: int, amount: float) -> str:
    """Pay money back for an order."""
    return f"paid back {amount} for order {order}"


if __name__ == "__main__":
    server.run()
