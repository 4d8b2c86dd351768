"""Calls over HTTP to toolgen's server and to one written by hand, on 1 and on 16 connections.

The client is written by hand and does little, so that it does not dominate the measurement.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .groups import Bench
from .measure import Case, Samples
from .process import Wrong, run
from .project import PYTHON, Project
from .rows import BY_HAND

SERVERS = str(Path(__file__).with_name("in_process") / "servers.py")
CALLS = 200  # in one round of one case
SECONDS = 60.0
CONNECTIONS = (1, 16)
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def http(bench: Bench, size: int) -> Samples:
    """Measure seconds per call; with the clock `cpu`, processor time of the server."""
    project = bench.fresh(size)
    request = json.loads(run([PYTHON, SERVERS, "request"], project.folder, project.env).text.splitlines()[-1])
    commands = {
        "toolgen": [PYTHON, "-m", "generated.mcp_server", "--http", "--port", "0"],
        BY_HAND: [PYTHON, SERVERS, "--http"],
    }
    with ExitStack() as stack:
        cases: list[Case] = []
        for name, command in commands.items():
            server = stack.enter_context(_served(command, project))
            message = _message(server.port, request)
            _check(name, server.port, message, request["answer"])
            clock = processor_time(server.pid) if bench.clock == "cpu" else time.perf_counter
            cases += [
                Case(
                    f"{name}, {connections}",
                    _round(name, server.port, message, connections=connections, calls=CALLS, clock=clock),
                )
                for connections in CONNECTIONS
            ]
        return bench.run(cases, 11, f"http, {size} tools")


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    pid: int
    port: int


@contextmanager
def _served(command: Sequence[str], project: Project) -> Iterator[Served]:
    """Run a server; it writes its port to stderr, in a URL."""
    with (project.folder / ".bench-log").open("w+") as log:
        process = subprocess.Popen(
            command,
            cwd=project.folder,
            env=project.env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            until = time.monotonic() + SECONDS
            path = Path(log.name)
            while (found := re.search(r"http://127\.0\.0\.1:(\d+)", path.read_text())) is None:
                if process.poll() is not None or time.monotonic() > until:
                    raise Wrong(f"{' '.join(command)} does not serve:\n{path.read_text()[-2000:]}")
                time.sleep(0.05)
            path.unlink()  # the next server has its own
            yield Served(process.pid, int(found[1]))
        finally:
            process.kill()
            process.wait()


def _message(port: int, request: dict[str, Any]) -> bytes:
    params = {"name": request["name"], "arguments": request["arguments"], "_meta": _META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        "accept: application/json, text/event-stream\r\n"
        f"mcp-protocol-version: {_VERSION}\r\nmcp-method: tools/call\r\nmcp-name: {request['name']}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _check(name: str, port: int, message: bytes, answer: Any) -> None:
    """Raise `Wrong` unless the server gives the answer of the implementation."""
    body = asyncio.run(_load(port, message, 1, 1))
    try:
        result = json.loads(body)["result"]
        given = result["structuredContent"]
    except (ValueError, KeyError, TypeError):
        raise Wrong(f"{name} answered {body[:2000]!r}") from None
    if given != answer:
        raise Wrong(f"{name} answered {given!r}, not {answer!r}")


def _round(
    name: str, port: int, message: bytes, *, connections: int, calls: int, clock: Callable[[], float]
) -> Callable[[], float]:
    def once() -> float:
        began = clock()
        try:
            asyncio.run(_load(port, message, connections, calls))
        except (Wrong, TimeoutError) as error:
            raise Wrong(f"{name}, {connections} connections: {error or 'no answer in time'}") from None
        return (clock() - began) / calls

    return once


def processor_time(pid: int) -> Callable[[], float]:
    """Return a clock of the processor time of a process's threads, in seconds. Linux only."""
    tasks = Path(f"/proc/{pid}/task")
    if not (tasks / str(pid) / "schedstat").exists():
        raise Wrong("this system does not tell the processor time of a server: measure with --clock wall")

    def clock() -> float:
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9

    return clock


async def _load(port: int, message: bytes, connections: int, calls: int) -> bytes:
    """Make so many calls, one at a time on each connection; return the body of the last answer."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()
    remaining = [calls, calls]  # to be sent, to be answered
    transports = []
    for _ in range(min(connections, calls)):
        transport, _client = await loop.create_connection(
            lambda: _Client(message, remaining, done), "127.0.0.1", port
        )
        transports.append(transport)
    try:
        async with asyncio.timeout(SECONDS):
            return await done
    finally:
        for transport in transports:
            transport.abort()


class _Client(asyncio.Protocol):
    """One connection that sends the message again for as long as calls remain."""

    def __init__(self, message: bytes, remaining: list[int], done: asyncio.Future[bytes]) -> None:
        self._message = message
        self._remaining = remaining
        self._done = done
        self._buffer = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._send()

    def _send(self) -> None:
        if self._remaining[0]:
            self._remaining[0] -= 1
            self._transport.write(self._message)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if length is None or b" 200 " not in head.split(b"\r\n", 1)[0]:
            self._fail(self._buffer)
        elif len(body) >= int(length[1]):
            self._buffer = b""
            self._remaining[1] -= 1
            if not self._remaining[1] and not self._done.done():
                self._done.set_result(body)
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(b"connection lost")

    def _fail(self, said: bytes) -> None:
        if not self._done.done():
            self._done.set_exception(Wrong(f"a call failed: {said[:2000]!r}"))
