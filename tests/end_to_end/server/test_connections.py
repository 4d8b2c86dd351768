"""Connections over HTTP: clients that do not read, and more of them than the process has descriptors for."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.end_to_end.project import SECONDS, HttpServer, Project
from tests.end_to_end.raw_http import Connection, connect
from tests.end_to_end.slow_tools import begun, end, nap

RUN = "import runpy; runpy.run_module('generated.mcp_server', run_name='__main__')"
IMPATIENT = (
    "-c",
    f"from toolgen.runtime.adapters.mcp.transports import connections; connections.READ_SECONDS = 1.0; {RUN}",
)
"""Run the server with a shorter time limit for reading."""
FEW = 16  # connections, with 48 descriptors
LIMITED = ("-c", f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48)); {RUN}")


async def logged(server: HttpServer, text: str) -> None:
    """Wait until the server has logged `text`."""
    async with asyncio.timeout(SECONDS):
        while text not in server.log:
            await asyncio.sleep(0.05)


async def small_window(url: str) -> Connection:
    """Connect with a receive buffer that an answer of megabytes does not fit into."""
    parts = urlsplit(url)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, (parts.hostname, parts.port))
    return Connection(url, *await asyncio.open_connection(sock=sock, limit=4096))


def test_a_client_that_does_not_read_is_dropped_and_a_slow_one_is_not(serving: Project) -> None:
    text = "x" * 3_000_000

    async def read_slowly(connection: Connection) -> int:
        _, headers = await connection.head()
        size, whole = 0, int(headers["content-length"])
        while size < whole:
            part = await connection.reader.read(200_000)
            assert part
            size += len(part)
            await asyncio.sleep(0.05)
        return size

    async def run() -> None:
        async with (
            serving.server(run=IMPATIENT) as server,
            connect(server.url) as other,
            connect(server.url) as slow,
        ):
            deaf = await small_window(server.url)
            for each in (deaf, slow):
                await each.send("tools/call", {"name": "echo", "arguments": {"text": text}})
            reading = asyncio.create_task(read_slowly(slow))
            await logged(server, "closed: its client has read too little in 1 seconds")
            assert (await other.call("echo", text="x")).status == 200
            assert await reading > 2 * len(text)
            with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
                await deaf.receive()
            assert server.log.count("closed: its client") == 1

    asyncio.run(run())


def test_idle_connections_make_room_for_new_ones_when_descriptors_run_out(serving: Project) -> None:
    async def run() -> None:
        async with serving.server(run=LIMITED, preloaded=False) as server:
            await logged(server, f"at most {FEW} connections, fewer than --sessions")
            parts = urlsplit(server.url)
            server.process.send_signal(signal.SIGSTOP)  # so that they all arrive at once
            opened = [await asyncio.open_connection(parts.hostname, parts.port) for _ in range(4 * FEW)]
            server.process.send_signal(signal.SIGCONT)
            async with connect(server.url) as client:
                assert (await client.call("echo", text="x")).status == 200
            for _, writer in opened:
                writer.transport.abort()
        assert server.log.count("connections are in use") == 1
        assert "Traceback" not in server.log

    asyncio.run(run())


def test_a_connection_is_refused_while_all_others_are_in_use(serving: Project, tmp_path: Path) -> None:
    async def run() -> None:
        async with serving.server(run=LIMITED) as server:
            parts = urlsplit(server.url)
            busy = []
            for number in range(FEW):
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                busy.append(connection := Connection(server.url, reader, writer))
                arguments = nap(300, tmp_path / str(number))
                await connection.send("tools/call", {"name": "nap", "arguments": arguments})
                await begun(tmp_path / str(number))
            async with connect(server.url) as refused:
                answer = await refused.receive()
                assert (answer.status, answer.headers["retry-after"]) == (503, "1")
            for number, each in enumerate(busy):
                end(tmp_path / str(number))
                assert (await each.receive()).message["result"]["content"][0]["text"] == "rested"
            async with connect(server.url) as client:
                assert (await client.call("echo", text="x")).status == 200
            for each in busy:
                each.close()

    asyncio.run(run())
