"""An MCP server over stdio, started by a command: its bytes are counted, and none of its processes is left.

For platforms with process groups. The SDK's transport reads lines of any length, and a server that ignores
the end of its stdin would outlive it if toolgen is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from toolgen.base.child_process import how_it_ended
from toolgen.base.suggestions import quoted
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.limits import ByteBudget

GRACE_SECONDS = 2.0
"""How long a server may take to end after its stdin was closed, and again after SIGTERM."""

_CHUNK_BYTES = 65_536
_LOG_BYTES = 4_096  # of stderr that are remembered
_POLL_SECONDS = 0.01

# Kills a process group when the other end of its stdin is closed, as any end of this process does.
_WATCHDOG = "import os, sys; os.read(0, 1); os.killpg(int(sys.argv[1]), 9)"


class ServerProcess:
    """A server that a command starts in a process group of its own."""

    def __init__(
        self,
        command: list[str],
        budget: ByteBudget,
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        """Prepare it; `streams` starts it. `log` gets each line of its stderr, whose end is remembered."""
        self._command, self._budget, self._log = command, budget, log
        self._folder = folder  # in which it starts; None: ours
        self._environment = dict(os.environ if environment is None else environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._said = bytearray()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[Any]:
        """Start the server, and yield the streams that a client of the SDK reads and writes.

        Raises SourceError when the server has sent more bytes than its budget.
        """
        process = self._process = self._start()
        try:
            self._watchdog = _watchdog_of(process)
            async with _pipes(process, _LogReader(self._said, self._log)) as pipes:
                to_client, from_server = anyio.create_memory_object_stream[Any](0)
                to_server, from_client = anyio.create_memory_object_stream[Any](0)
                async with anyio.create_task_group() as tasks, from_server, to_server:
                    tasks.start_soon(self._read, pipes, to_client)
                    tasks.start_soon(_write, pipes, from_client, to_client)
                    yield from_server, to_server
                    with anyio.CancelScope(shield=True):
                        from_server.close()
                        await self._stop(pipes)
                    tasks.cancel_scope.cancel()
        finally:
            self.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._command,
                env=self._environment,
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            message = f"cannot start {quoted(self._command[0])}: {error.strerror}"
            raise SourceError(message, "does the server start when you run it yourself?") from error

    def kill(self) -> None:
        """Kill all processes of the group."""
        if self._watchdog is not None:
            self._watchdog.kill()  # first: the number of the group may be another one's once it is free
            self._watchdog.communicate()
        self._signal(signal.SIGKILL)
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_SECONDS)

    def describe_end(self) -> str:
        """Return how the server ended, with the last line of its log; empty while it runs."""
        code = None if self._process is None else self._process.poll()
        if code is None:
            return ""
        lines = self._said.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"the server ended{how_it_ended(code)}{f': {quoted(last, 200)}' if last else ''}"

    async def _read(self, pipes: _Pipes, out: Any) -> None:
        """Pass on one message for each line of stdout; an exception for a line that is none."""
        async with out:
            line = bytearray()
            while chunk := await pipes.stdout.read(_CHUNK_BYTES):
                self._budget.spend(len(chunk), messages=chunk.count(b"\n"))
                first, *others = chunk.split(b"\n")
                line += first
                for other in others:
                    if line.strip():
                        self._budget.check_values(bytes(line))
                        try:
                            await out.send(_message(bytes(line)))
                        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                            # A server that waits for room in its pipe does not see that its stdin is closed.
                            await pipes.discard_output()
                            return
                    line = bytearray(other)

    async def _stop(self, pipes: _Pipes) -> None:
        """Close stdin and wait for the end of the server, which gets a SIGTERM if it is slow."""
        pipes.stdin.close()
        if not await self._has_ended():
            self._signal(signal.SIGTERM)
            await self._has_ended()

    async def _has_ended(self) -> bool:
        assert self._process is not None
        until = asyncio.get_running_loop().time() + GRACE_SECONDS
        # Polled: asyncio waits only for processes that it has started itself.
        while self._process.poll() is None:
            if asyncio.get_running_loop().time() > until:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


def _watchdog_of(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """Start a process that kills a server's process group as soon as this process has ended."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCHDOG, str(process.pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class _Pipes:
    """The ends of the pipes of a server."""

    def __init__(self, stdout: asyncio.StreamReader, stdin: asyncio.StreamWriter) -> None:
        self.stdout, self.stdin = stdout, stdin

    async def discard_output(self) -> None:
        """Read what the server still writes, so that it can end."""
        while await self.stdout.read(_CHUNK_BYTES):
            pass


class _LogReader(asyncio.Protocol):
    """Remembers the end of a log, and passes on its lines, in parts if they are long."""

    def __init__(self, said: bytearray, log: Callable[[str], None] | None) -> None:
        self._said, self._log = said, log
        self._line = b""

    def data_received(self, data: bytes) -> None:
        self._said += data
        del self._said[:-_LOG_BYTES]
        if self._log is not None:
            *lines, self._line = (self._line + data).split(b"\n")
            if len(self._line) > _LOG_BYTES:
                lines, self._line = [*lines, self._line], b""
            for line in lines:
                self._log(line.decode("utf-8", "replace").rstrip("\r"))

    def connection_lost(self, error: Exception | None) -> None:
        if self._log is not None and self._line:
            self._log(self._line.decode("utf-8", "replace"))


@asynccontextmanager
async def _pipes(process: subprocess.Popen[bytes], log: _LogReader) -> AsyncIterator[_Pipes]:
    """Connect the event loop to the pipes of a process; close them at the end."""
    loop = asyncio.get_running_loop()
    stdout = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(stdout)
    reading: list[asyncio.BaseTransport] = []
    writing: asyncio.WriteTransport | None = None
    try:
        reading.append((await loop.connect_read_pipe(lambda: protocol, process.stdout))[0])
        reading.append((await loop.connect_read_pipe(lambda: log, process.stderr))[0])
        writing, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, process.stdin)
        yield _Pipes(stdout, asyncio.StreamWriter(writing, flow, None, loop))
    finally:
        for each in reading:
            each.close()
        if writing is not None and (writing.get_write_buffer_size() or not writing.is_closing()):
            writing.abort()


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return ValueError(f"a line on stdout: {quoted(line.decode('utf-8', 'replace'))}")


async def _write(pipes: _Pipes, messages: Any, out: Any) -> None:
    """Write messages to stdin; a server that closed it has ended the connection."""
    async with messages:
        async for each in messages:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                pipes.stdin.write(f"{text}\n".encode())
                await pipes.stdin.drain()
            except (OSError, RuntimeError):
                await out.aclose()
                return
