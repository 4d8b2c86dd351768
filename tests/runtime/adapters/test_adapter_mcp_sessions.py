"""MCP sessions: extras, notifications of changed tools, scopes of access tokens, closing of tools."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from adapter_samples import Request, define
from mcp import Client
from stream_samples import Count
from toolgen import serving
from toolgen.runtime import BaseTool, ToolContext, Toolkit

ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


@pytest.mark.parametrize(("era", "wanted"), [("legacy", ["1", "2", "3"]), ("auto", ["1", "1", "1"])])
def test_extras_live_as_long_as_the_session(era: str, wanted: list[str]) -> None:
    async def work() -> list[list[Any]]:
        found = []
        server = serving.build_server(Toolkit([Count()]), name="s")
        for _ in range(2):
            async with Client(server, mode=era) as client:
                found.append([await client.call_tool("count", {}) for _ in range(3)])
        return found

    for results in asyncio.run(work()):
        assert [result.content[0].text for result in results] == wanted
        assert results[0].meta["toolgen/final_answer"] is True
        assert results[0].meta["toolgen/metadata"] == {"extra": "told"}


class Late(BaseTool[Request, Any]):
    """Added while the server runs."""

    definition = define("late", "Late.", {"type": "object"})
    request_model = Request

    async def execute(self, request: Request, context: ToolContext) -> Any:
        return "here"


@ERAS
async def test_the_end_of_the_server_closes_its_tools(era: str) -> None:
    seen: list[str] = []

    class Held(Late):
        async def setup(self) -> None:
            seen.append("set up")

        async def close(self) -> None:
            seen.append("closed")

    async with Client(serving.build_server(Toolkit([Held()]), name="s"), mode=era) as client:
        await client.call_tool("late", {})
        await client.call_tool("late", {})
        assert seen == ["set up"]
    assert seen == ["set up", "closed"]
