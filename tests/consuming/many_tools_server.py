"""Serve TOOLS tools, PAGE of them at a time, with the low-level API of the MCP SDK: TOOLS PAGE [BYTES].

With BYTES, each tool also has a description of that size.
"""

import asyncio
import sys
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

TOOLS, PAGE = int(sys.argv[1]), int(sys.argv[2])
TEXT = "x" * int(sys.argv[3]) if sys.argv[3:] else "Find records by their text."


def tool(number: int) -> types.Tool:
    """Return the definition of one tool."""
    query = {"type": "string", "minLength": 1, "description": "Words of the record."}
    limit = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
    record = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "title": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
        "required": ["id", "title"],
    }  # fmt: skip
    return types.Tool(
        name=f"find_records_{number}",
        description=TEXT,
        input_schema={
            "type": "object",
            "properties": {"query": query, "limit": limit, "sort": {"enum": ["title", "date"]}},
            "required": ["query"],
            "additionalProperties": False,
        },
        output_schema={
            "type": "object",
            "properties": {"records": {"type": "array", "items": record}},
            "required": ["records"],
        },
    )


async def list_tools(
    context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    """Return one page of the tools."""
    start = int(params.cursor) if params and params.cursor else 0
    end = min(start + PAGE, TOOLS)
    return types.ListToolsResult(
        tools=[tool(number) for number in range(start, end)], next_cursor=str(end) if end < TOOLS else None
    )


async def main() -> None:
    """Serve over stdio."""
    server = Server("records", version="1", on_list_tools=list_tools)
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


asyncio.run(main())
