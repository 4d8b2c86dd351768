"""Clients and upstreams of different protocol eras, and upstreams over HTTP."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import mcp_types as types
from toolgen.serving.held_questions import Requester
from toolgen.upstream import Upstream

from tests.end_to_end.project import ERAS, text_of

from .conftest import Gateway, upstream_command


def answering(asked: list[str]) -> Any:
    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"yes": True})

    return answer


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
