"""`tools/list`: pages, cache hints, the server's version, and notifications of changes."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp.shared.exceptions import MCPError

from tests.end_to_end.project import ERAS, Project
from tests.end_to_end.raw_http import connect
from tests.end_to_end.slow_tools import SESSIONS


@ERAS
def test_all_pages_together_are_the_exported_list(serving: Project, era: str) -> None:
    async def run() -> tuple[list[str], int]:
        names, cursor, pages = [], None, 0
        async with serving.server("--page-size", "2") as server, server.client(era) as client:
            while True:
                page = await client.list_tools(cursor=cursor)
                names += [tool.name for tool in page.tools]
                assert len(page.tools) <= 2
                cursor, pages = page.next_cursor, pages + 1
                if cursor is None:
                    assert (await client.call_tool("echo", {"text": "x"})).structured_content == {"text": "x"}
                    return names, pages

    exported = json.loads(serving.toolgen("export", "mcp").stdout)["tools"]
    assert asyncio.run(run()) == ([tool["name"] for tool in exported], -(-len(exported) // 2))


@ERAS
async def test_an_unknown_cursor_is_refused(serving: Project, era: str) -> None:
    async with serving.stdio_client(era) as client:
        for cursor in ("nonsense", "", "bm9uZQ==", "é"):
            with pytest.raises(MCPError) as caught:
                await client.list_tools(cursor=cursor)
            assert caught.value.error.code == -32602


async def test_the_list_can_be_cached_for_a_minute(serving: Project) -> None:
    async with serving.server() as server, connect(server.url) as connection:
        result = (await connection.ask("tools/list")).message["result"]
        assert (result["ttlMs"], result["cacheScope"]) == (60_000, "public")
        assert "nextCursor" not in result


@ERAS
async def test_name_version_and_instructions_come_from_the_configuration(project: Project, era: str) -> None:
    settings = (project.root / "toolgen.toml").read_text().partition("server.")[0]
    section = '[server]\nname = "Shop"\nversion = "3.1.4"\ninstructions = "Say \\"please\\"."\n'
    project.write("toolgen.toml", f"{settings}\n{section}")
    project.generate()

    async with project.server() as server, server.client(era) as client:
        assert (client.server_info.name, client.server_info.version) == ("Shop", "3.1.4")
        assert client.instructions == 'Say "please".'


@SESSIONS
async def test_subscribers_are_notified_of_changes(serving: Project, session: bool) -> None:
    name = f"added_{'old' if session else 'new'}"
    async with (
        serving.server(run=("growing.py",)) as server,
        connect(server.url, session=session) as caller,
        connect(server.url, like=caller) as listening,
    ):
        if session:
            await listening.request("GET", accept="text/event-stream")
        else:
            await listening.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        assert (await listening.head())[0] == 200
        if not session:
            assert b"acknowledged" in (await listening.chunk() or b"")
        else:
            await asyncio.sleep(0.5)
        await caller.call("grow", name=name)
        assert b"notifications/tools/list_changed" in (await listening.chunk() or b"")
        tools = (await caller.ask("tools/list")).message["result"]["tools"]
        assert name in [tool["name"] for tool in tools]


async def test_a_cursor_stays_valid_while_tools_are_added(serving: Project) -> None:
    async with (
        serving.server("--page-size", "3", run=("growing.py",)) as server,
        connect(server.url) as caller,
    ):
        first = (await caller.ask("tools/list")).message["result"]
        await caller.call("grow", name="zebra")
        names = [tool["name"] for tool in first["tools"]]
        while "nextCursor" in first:
            first = (await caller.ask("tools/list", {"cursor": first["nextCursor"]})).message["result"]
            names += [tool["name"] for tool in first["tools"]]
        assert len(names) == len(set(names))
        assert names[-1] == "zebra"
