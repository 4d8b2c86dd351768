"""A bare proxy of the MCP SDK: `python proxy.py COMMAND…` serves the tools of that server over stdio."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp import Client, StdioServerParameters, stdio_server
from mcp.server import Server, ServerRequestContext


@asynccontextmanager
async def upstream(_: Any) -> AsyncIterator[Client]:
    command, *words = sys.argv[1:]
    async with Client(StdioServerParameters(command=command, args=words, env=None), mode="legacy") as client:
        yield client


async def list_tools(context: ServerRequestContext[Client], params: Any) -> types.ListToolsResult:
    return await context.lifespan_context.list_tools()


async def call_tool(
    context: ServerRequestContext[Client], params: types.CallToolRequestParams
) -> types.CallToolResult:
    return await context.lifespan_context.call_tool(params.name, params.arguments)


async def main() -> None:
    server = Server("proxy", on_list_tools=list_tools, on_call_tool=call_tool, lifespan=upstream)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
