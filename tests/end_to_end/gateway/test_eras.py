"""Clients and upstreams of different protocol eras, and upstreams over HTTP."""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from toolgen.serving.held_questions import Requester
from toolgen.upstream import Upstream

from tests.end_to_end.project import ERAS, text_of
from tests.preloaded import python_command

from .conftest import Gateway, runs, settings_of, upstream_command

OLD = Path(__file__).with_name("old_upstream.py")


@pytest.fixture(scope="session")
def old(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    """A gateway in front of a server of the older era. Tests share it and must not change it."""
    root = tmp_path_factory.mktemp("old")
    made = Gateway(root, settings_of(root))
    made.write("toolgen.toml", 'implementations = "tools"\nserver.version = "1.0.0"\n')
    done = made.toolgen("import", "mcp", "--implement", shlex.join([*python_command(os.environ), str(OLD)]))
    assert done.returncode == 0, done.stderr
    made.generate()
    return made


def answering(asked: list[str]) -> Any:
    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"yes": True})

    return answer


@runs
@ERAS
async def test_an_old_server_asks_clients_of_both_eras(old: Gateway, era: str) -> None:
    asked: list[str] = []
    async with old.stdio_client(era, elicitation_callback=answering(asked)) as client:
        for user in ("ann", "bob"):
            assert text_of(await client.call_tool("buy", {"user": user})) == f"{user}: accept"
    assert asked == ["Is this ann?", "Is this bob?"]


@runs
async def test_no_question_of_an_old_server_reaches_another_user(old: Gateway) -> None:
    async def calls_of(url: Any, user: str) -> tuple[list[str], list[str]]:
        asked: list[str] = []
        async with url.client("auto", elicitation_callback=answering(asked)) as client:
            wanted = (client.call_tool("buy", {"user": f"{user} {number}"}) for number in range(10))
            return [text_of(each) for each in await asyncio.gather(*wanted)], asked

    async with old.server() as server:
        found = await asyncio.gather(*(calls_of(server, user) for user in ("ann", "bob")))
    for user, (answers, asked) in zip(("ann", "bob"), found, strict=True):
        assert answers == [f"{user} {number}: accept" for number in range(10)]
        assert sorted(asked) == sorted(f"Is this {user} {number}?" for number in range(10))


@runs
@ERAS
async def test_an_upstream_over_http(gateway: Gateway, era: str) -> None:
    with _served(gateway) as url:
        text = gateway.upstream.read_text()
        source = next(line for line in text.splitlines() if "upstream.py" in line)
        gateway.upstream.write_text(text.replace(source, f'    "{url}",'))
        asked: list[str] = []
        async with gateway.stdio_client(era, elicitation_callback=answering(asked)) as client:
            assert text_of(await client.call_tool("find_item", {"text": "cup"})) == "cup"
            if era == "legacy":  # a server of the newer era cannot ask during a call
                assert text_of(await client.call_tool("ask", {"user": "ann"})) == "ann: accept"


@contextmanager
def _served(gateway: Gateway) -> Iterator[str]:
    """Run the upstream over HTTP; yield its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*upstream_command(gateway.root), str(port)], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if b"Uvicorn running" in line:
                break
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.communicate()


@runs
async def test_a_client_never_has_the_connection_of_one_that_left() -> None:
    class Client:
        """The SDK's connection of a client."""

    def key_of(client: Client) -> object:
        session = SimpleNamespace(_connection=client, client_capabilities=None)
        request: Any = SimpleNamespace(session=session, request=None, protocol_version="2025-06-18")
        key = upstream._key(Requester(request, None, noted))
        return {key: None}.popitem()[0]  # it was in a dict while the client lived

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        return None

    upstream = Upstream("python server.py", lock="server.lock")
    # each is gone when the next one is made, mostly at the same address in memory
    assert len({key_of(Client()) for _ in range(100)}) == 100
    client = Client()
    assert key_of(client) == key_of(client)
