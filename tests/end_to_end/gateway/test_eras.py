"""Clients and upstreams of different protocol eras, and upstreams over HTTP."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.end_to_end.project import ERAS, text_of
from tests.end_to_end.replicas import free_port

from .conftest import Gateway, upstream_command
from .test_forwarding import answering


@ERAS
async def test_an_upstream_over_http(gateway: Gateway, era: str) -> None:
    with _served(gateway) as url:
        text = gateway.upstream.read_text()
        source = next(line for line in text.splitlines() if "upstream.py" in line)
        gateway.upstream.write_text(text.replace(source, f'    "{url}",'))
        asked: list[str] = []
        async with gateway.stdio_client(era, elicitation_callback=answering("accept", asked)) as client:
            assert text_of(await client.call_tool("find_item", {"text": "cup"})) == "cup"
            if era == "legacy":  # a server of the newer era cannot ask during a call
                assert text_of(await client.call_tool("ask", {"user": "ann"})) == "ann: accept"


@contextmanager
def _served(gateway: Gateway) -> Iterator[str]:
    """Run the upstream over HTTP; yield its URL."""
    port = free_port()
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
