"""A server answers, and ends, while nobody reads its log."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.end_to_end.project import ECHO_TOOL, SECONDS, Project
from tests.end_to_end.raw_http import MODERN, connect
from tests.end_to_end.replicas import free_port
from tests.preloaded import python_command

CALLS = 100  # whose records do not fit into the pipe
PIPE_BYTES = 4096
SERVER = ("-m", "generated.mcp_server")
CHATTY = 'context.logger.warning("a warning of the tool " + "x" * 400)\n        return EchoResponse'


@pytest.fixture
def chatty(project: Project) -> Project:
    """A project whose tool `echo` logs much."""
    project.write("tools/echo.py", ECHO_TOOL.replace("return EchoResponse", CHATTY))
    project.generate()
    return project


@contextmanager
def unread_pipe() -> Iterator[tuple[int, int]]:
    """Yield the read end and the write end of a small pipe."""
    reading, writing = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    try:
        yield reading, writing
    finally:
        for descriptor in (reading, writing):
            with suppress(OSError):
                os.close(descriptor)


@contextmanager
def started(project: Project, *words: str, stderr: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command, or a module, in the project's folder; kill it at the end of the block if it has not ended."""
    process = subprocess.Popen(
        [*python_command(os.environ), *words] if words[0] == "-m" else words,
        cwd=project.root,
        env=project.environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )
    watchdog = threading.Timer(SECONDS, process.kill)  # so that a test of a server that hangs fails
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def call(number: int) -> bytes:
    """Return the line of a call of `echo`."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "echo", "arguments": {"text": "x"}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(message).encode() + b"\n"


def answers(process: subprocess.Popen[bytes], count: int) -> int:
    """Make calls one after the other over stdio; return how many are answered."""
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(count):
        process.stdin.write(call(number))
        process.stdin.flush()
        assert b'"isError":false' in process.stdout.readline(), number
    return count


def test_a_stdio_server_answers_and_ends_while_nobody_reads_its_log(chatty: Project) -> None:
    with (
        unread_pipe() as (_, stderr),
        started(chatty, *SERVER, "--grace", "300", stderr=stderr) as process,
    ):
        assert answers(process, CALLS) == CALLS
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0  # although the log can still not be written


def test_an_http_server_answers_and_ends_while_nobody_reads_its_log(chatty: Project) -> None:
    port = free_port()
    words = (*SERVER, "--http", "--port", str(port))

    async def run(process: subprocess.Popen[bytes]) -> None:
        async with asyncio.timeout(SECONDS):
            while True:
                try:
                    async with connect(f"http://127.0.0.1:{port}/mcp") as connection:
                        for _ in range(CALLS):
                            assert (await connection.call("echo", text="x")).status == 200
                    break
                except ConnectionRefusedError:
                    await asyncio.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait) == 0

    with unread_pipe() as (_, stderr), started(chatty, *words, stderr=stderr) as process:
        asyncio.run(run(process))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_under_the_log_does_not_stop_the_server(chatty: Project) -> None:
    with open("/dev/full", "wb") as full, started(chatty, *SERVER, stderr=full.fileno()) as process:
        assert answers(process, 3) == 3
