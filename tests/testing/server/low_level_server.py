"""The tool `look` of the shop, written by hand on the low-level API of the MCP SDK."""

import asyncio
import json
import sys
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

STOCK = {"bell": 3, "tyre": 9}
with open(sys.argv[1]) as file:
    LISTED = [types.Tool(**tool) for tool in json.load(file)["tools"] if tool["name"] == "look"]


async def list_tools(context: ServerRequestContext[Any, Any], params: Any) -> types.ListToolsResult:
    """Return the one tool."""
    return types.ListToolsResult(tools=LISTED)


async def call_tool(
    context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
) -> types.CallToolResult:
    """Return how many of a part there are."""
    part = (params.arguments or {})["part"]
    if part not in STOCK:
        return types.CallToolResult(content=[types.TextContent(text=f"There is no {part}.")], is_error=True)
    content = {"left": STOCK[part]}
    text = types.TextContent(text=json.dumps(content))
    return types.CallToolResult(content=[text], structured_content=content)


async def main() -> None:
    """Serve over stdio."""
    server = Server("by hand", version="2", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


asyncio.run(main())
