"""Tools of an MCP server are set up once, and closed with it."""

from __future__ import annotations

from typing import Any

from adapter_samples import Request, define
from mcp import Client
from test_adapter_mcp import ERAS
from toolgen import serving
from toolgen.runtime import BaseTool, ToolContext, Toolkit


@ERAS
async def test_the_end_of_the_server_closes_its_tools(era: str) -> None:
    seen: list[str] = []

    class Held(BaseTool[Request, Any]):
        definition = define("held", "Held.", {"type": "object"})
        request_model = Request

        async def setup(self) -> None:
            seen.append("set up")

        async def execute(self, request: Request, context: ToolContext) -> Any:
            return "here"

        async def close(self) -> None:
            seen.append("closed")

    async with Client(serving.build_server(Toolkit([Held()]), name="s"), mode=era) as client:
        await client.call_tool("held", {})
        await client.call_tool("held", {})
        assert seen == ["set up"]
    assert seen == ["set up", "closed"]
