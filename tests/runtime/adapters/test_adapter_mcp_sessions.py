"""MCP sessions: extras, notifications of changed tools, scopes of access tokens, closing of tools."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from adapter_samples import Request, define
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl
from stream_samples import Count, Guarded
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
def test_the_end_of_the_server_closes_its_tools(era: str) -> None:
    seen: list[str] = []

    class Held(Late):
        async def setup(self) -> None:
            seen.append("set up")

        async def close(self) -> None:
            seen.append("closed")

    async def work() -> None:
        async with Client(serving.build_server(Toolkit([Held()]), name="s"), mode=era) as client:
            await client.call_tool("late", {})
            await client.call_tool("late", {})
            assert seen == ["set up"]

    asyncio.run(work())
    assert seen == ["set up", "closed"]


class Tokens:
    """Knows two tokens."""

    async def verify_token(self, token: str) -> AccessToken | None:
        scopes = {"writer": ["orders:read", "orders:write"], "reader": ["orders:read"]}.get(token)
        return None if scopes is None else AccessToken(token=token, client_id="c", scopes=scopes)


@contextmanager
def served(toolkit: Toolkit) -> Iterator[str]:
    """Run a server that requires a token; yield its URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    auth = AuthSettings(
        issuer_url=AnyHttpUrl("http://127.0.0.1:9"), resource_server_url=None, required_scopes=["orders:read"]
    )
    server = serving.build_server(toolkit, name="s")
    app = server.streamable_http_app(auth=auth, token_verifier=Tokens())
    uvicorn_server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
    thread = threading.Thread(target=uvicorn_server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not uvicorn_server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield f"{url}/mcp"
    finally:
        uvicorn_server.should_exit = True
        thread.join(10)
        listening.close()


@ERAS
def test_the_scopes_of_an_access_token_decide(era: str) -> None:
    async def call(url: str, token: str) -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(url, http_client=http), mode=era) as client,
        ):
            return await client.call_tool("guarded", {})

    with served(Toolkit([Guarded()])) as url:
        assert asyncio.run(call(url, "writer")).content[0].text == "in"
        refused = asyncio.run(call(url, "reader"))
    assert refused.is_error
    assert refused.meta["toolgen/error"]["code"] == "insufficient_scope"
    assert refused.meta["toolgen/error"]["details"] == {"missing": ["orders:write"]}
