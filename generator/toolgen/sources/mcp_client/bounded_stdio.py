"""An MCP server over stdio, started by a command: its bytes are counted, and none of its processes is left.

For platforms with process groups. The SDK's transport reads lines of any length.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from toolgen.base import KIB
from toolgen.base.child_process import how_it_ended
from toolgen.base.suggestions import quoted
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.answers import read_message
from toolgen.sources.mcp_client.limits import ByteBudget
from toolgen.sources.mcp_client.outcomes import Report, ignore

GRACE_SECONDS = 2.0
"""How long a server may take to end after its stdin was closed, and again after SIGTERM."""

_LOG_BYTES = 4 * KIB  # of stderr that are remembered
_LOG_SECONDS = 0.5  # after a server has ended; a child that it left behind may hold its stderr
_POLL_SECONDS = 0.01  # between two looks whether the process has ended
_CHUNK = 64 * KIB  # of a read: asyncio.StreamReader's own limit


class ServerProcess:
    """A server that a command starts in a process group of its own.

    It is both streams of a transport itself: the SDK reads and writes pipes without tasks in between.
    """

    def __init__(
        self,
        command: list[str],
        budget: ByteBudget,
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        log: Callable[[str], None] | None = None,
        report: Report = ignore,
    ) -> None:
        """Prepare it; `streams` starts it. `log` gets each line of its stderr, whose end is remembered.

        `report` gets lines of its stdout that are no messages, or answer nothing.
        """
        self._command, self._budget, self._log = command, budget, log
        self._report = report
        self._waiting: set[types.RequestId] = set()  # requests without an answer
        self._listening: set[types.RequestId] = set()  # those among them that have none until the end
        self.is_silent = False  # it has closed its stdout
        self._folder = folder  # in which it starts; None: ours
        self._environment = dict(os.environ if environment is None else environment)
        self._process: Process | None = None
        self._said = bytearray()  # to stderr, its end
        self._log_ended = anyio.Event()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[ServerProcess, ServerProcess]]:
        """Start the server, and yield the streams that a client of the SDK reads and writes."""
        try:
            process = await self._start()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read_log, process)
                yield self, self
                with anyio.CancelScope(shield=True):
                    # a server that waits for room in its pipe does not see that its stdin is closed
                    tasks.start_soon(_discard, process)
                    await self._stop(process)
                tasks.cancel_scope.cancel()
        finally:
            self.kill()
            if self._process is not None:
                with anyio.move_on_after(GRACE_SECONDS, shield=True):
                    await self._process.wait()  # until its pipes are closed, too

    async def _start(self) -> Process:
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=self._environment,
                cwd=self._folder,
                start_new_session=True,
            )
        )
        try:
            process = await asyncio.shield(starting)
            self._process = process
        except asyncio.CancelledError:
            # asyncio would end only the server, and wait for its children, which have its pipes
            with anyio.CancelScope(shield=True):
                self._process = await starting
            raise
        except OSError as error:
            message = f"cannot start {quoted(self._command[0])}: {error.strerror}"
            raise SourceError(message, "does the server start when you run it yourself?") from error
        return process

    def kill(self) -> None:
        """Kill all processes of the group."""
        self._signal(signal.SIGKILL)

    async def wait_for_end(self) -> str:
        """Return how the server ended as `describe_end` does, if it ends soon."""
        if self._process is not None:
            await _has_ended(self._process)
        return self.describe_end()

    def describe_end(self) -> str:
        """Return how the server ended, with the last line of its log; empty while it runs."""
        code = None if self._process is None else self._process.returncode
        if code is None:
            return ""
        lines = self._said.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"the server ended{how_it_ended(code)}{f': {quoted(last, 200)}' if last else ''}"

    async def __aenter__(self) -> ServerProcess:
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Leave the pipes open: `streams` closes them."""

    async def __aiter__(self) -> AsyncIterator[SessionMessage]:
        """Yield the messages among the lines of stdout. Raises SourceError when the budget is spent."""
        process = self._process
        assert process
        assert process.stdout
        line = bytearray()
        while chunk := await process.stdout.read(_CHUNK):
            self._budget.spend(len(chunk), messages=chunk.count(b"\n"))
            first, *others = chunk.split(b"\n")
            line += first
            for other in others:
                message = self._message_in(bytes(line)) if line.strip() else None
                line = bytearray(other)
                if message is not None:
                    yield SessionMessage(message)
        self.is_silent = True

    def _message_in(self, line: bytes) -> types.JSONRPCMessage | None:
        self._budget.check_values(line)
        message = read_message(line, self._waiting, self._report, listening=self._listening)
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._waiting = {each for each in self._waiting if str(each) != str(message.id)}
        return message

    async def send(self, item: SessionMessage) -> None:
        """Write a message to stdin, whole. A server that closed it has ended the connection."""
        message, process = item.message, self._process
        assert process
        assert process.stdin
        if isinstance(message, types.JSONRPCRequest):
            is_endless = message.method == "subscriptions/listen"
            (self._listening if is_endless else self._waiting).add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._waiting.discard((message.params or {}).get("requestId"))
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            process.stdin.write(f"{text}\n".encode())
            await process.stdin.drain()
        except (OSError, RuntimeError) as error:
            raise anyio.BrokenResourceError from error

    async def _read_log(self, process: Process) -> None:
        """Remember the end of stderr, and pass on its lines, in parts if they are long."""
        assert process.stderr is not None
        line = b""
        while chunk := await process.stderr.read(_CHUNK):
            self._said += chunk
            del self._said[:-_LOG_BYTES]
            *lines, line = (line + chunk).split(b"\n")
            if len(line) > _LOG_BYTES:
                lines, line = [*lines, line], b""
            self._pass_on(lines)
        self._pass_on([line] if line else [])
        self._log_ended.set()

    def _pass_on(self, lines: list[bytes]) -> None:
        if self._log is not None:
            for line in lines:
                self._log(line.decode("utf-8", "replace").rstrip("\r"))

    async def _stop(self, process: Process) -> None:
        """Close stdin and wait for the end of the server, which gets a SIGTERM if it is slow."""
        assert process.stdin is not None
        process.stdin.close()
        if not await _has_ended(process):
            self._signal(signal.SIGTERM)
            await _has_ended(process)
        with anyio.move_on_after(_LOG_SECONDS):
            await self._log_ended.wait()

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


async def _discard(process: Process) -> None:
    assert process.stdout is not None
    while await process.stdout.read(_CHUNK):
        pass


async def _has_ended(process: Process) -> bool:
    """Wait for the end of a process, not for that of its children, which may have its pipes."""
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None
