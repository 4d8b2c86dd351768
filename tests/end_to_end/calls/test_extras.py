"""`extras` of a call reach the next call of its connection or session."""

from __future__ import annotations

import pytest
from mcp import Client

from tests.end_to_end.project import ERAS, Project, text_of

COUNTER = """
from generated.tools.echo import EchoResponse, EchoTool

class Echo(EchoTool):
    async def execute(self, request, context):
        context.extras["count"] = context.extras.get("count", 0) + 1
        return EchoResponse(text=str(context.extras["count"]))
"""


async def count(client: Client) -> str:
    return text_of(await client.call_tool("echo", {"text": ""}))


@pytest.fixture
def counting(project: Project) -> Project:
    project.write("tools/echo.py", COUNTER)
    project.generate()
    return project


def said(number: int) -> str:
    return f'{{"text":"{number}"}}'


@ERAS
async def test_over_stdio_a_stock_client_keeps_its_extras(counting: Project, era: str) -> None:
    async with counting.stdio_client(era) as client:
        for number in (1, 2, 3):
            assert await count(client) == said(number)
    async with counting.stdio_client(era) as client:
        assert await count(client) == said(1), "another connection"


async def test_a_session_of_the_older_protocol_carries_extras(counting: Project) -> None:
    async with counting.server() as server, server.client("legacy") as client:
        for number in (1, 2):
            assert await count(client) == said(number)


@pytest.mark.parametrize(("era", "flags"), [("auto", []), ("legacy", ["--stateless"])])
async def test_without_a_session_a_call_begins_anew(counting: Project, era: str, flags: list[str]) -> None:
    async with counting.server(*flags) as server, server.client(era) as client:
        assert await count(client) == await count(client) == said(1)
