"""Connections over HTTP: more of them than the process has descriptors for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

from tests.end_to_end.project import SECONDS, HttpServer, Project
from tests.end_to_end.raw_http import Connection, connect
from tests.end_to_end.slow_tools import begun, end, nap

RUN = "import runpy; runpy.run_module('generated.mcp_server', run_name='__main__')"
FEW = 16  # connections, with 48 descriptors
LIMITED = ("-c", f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48)); {RUN}")


async def logged(server: HttpServer, text: str) -> None:
    """Wait until the server has logged `text`."""
    async with asyncio.timeout(SECONDS):
        while text not in server.log:
            await asyncio.sleep(0.05)


async def test_a_connection_is_refused_while_all_others_are_in_use(serving: Project, tmp_path: Path) -> None:
    async with serving.server(run=LIMITED) as server:
        await logged(server, f"at most {FEW} connections, fewer than --sessions")
        parts = urlsplit(server.url)
        busy = []
        for number in range(FEW):
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            busy.append(connection := Connection(server.url, reader, writer))
            arguments = nap(300, tmp_path / str(number))
            await connection.send("tools/call", {"name": "nap", "arguments": arguments})
            await begun(tmp_path / str(number))
        async with connect(server.url) as refused:
            assert (await refused.call("echo", text="x")).status == 503
        for number, each in enumerate(busy):
            end(tmp_path / str(number))
            assert (await each.receive()).message["result"]["content"][0]["text"] == "rested"
            each.close()
        async with connect(server.url) as client:
            assert (await client.call("echo", text="x")).status == 200
