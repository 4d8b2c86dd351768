"""An MCP server over stdio, started by a command: its bytes are counted, and none of its processes is left.

For platforms with process groups. The SDK's transport reads lines of any length.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import Process
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
_POLL_SECONDS = 0.01


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
    async def streams(self) -> AsyncIterator[Any]:
        """Start the server, and yield the streams that a client of the SDK reads and writes.

        Raises SourceError when the server has sent more bytes than its budget.
        """
        try:
            process = await self._start()
            to_client, from_server = anyio.create_memory_object_stream[Any](0)
            to_server, from_client = anyio.create_memory_object_stream[Any](0)
            async with anyio.create_task_group() as tasks, from_server, to_server:
                tasks.start_soon(self._read, process, to_client)
                tasks.start_soon(self._read_log, process)
                tasks.start_soon(self._write, process, from_client, to_client)
                yield from_server, to_server
                with anyio.CancelScope(shield=True):
                    from_server.close()
                    await self._stop(process)
                tasks.cancel_scope.cancel()
        finally:
            self.kill()
            if self._process is not None:
                with anyio.move_on_after(GRACE_SECONDS, shield=True):
                    await self._process.wait()  # until its pipes are closed, too

    async def _start(self) -> Process:
        starting = asyncio.ensure_future(
            anyio.open_process(self._command, env=self._environment, cwd=self._folder, start_new_session=True)
        )
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # asyncio would end only the server, and wait for its children, which have its pipes
            with anyio.CancelScope(shield=True):
                self._process = await starting
            raise
        except OSError as error:
            message = f"cannot start {quoted(self._command[0])}: {error.strerror}"
            raise SourceError(message, "does the server start when you run it yourself?") from error
        return self._process

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

    async def _read(self, process: Process, out: Any) -> None:
        """Pass on the messages among the lines of stdout."""
        assert process.stdout is not None
        line = bytearray()
        async with out:
            async for chunk in process.stdout:
                self._budget.spend(len(chunk), messages=chunk.count(b"\n"))
                first, *others = chunk.split(b"\n")
                line += first
                for other in others:
                    if line.strip():
                        self._budget.check_values(bytes(line))
                        message = read_message(
                            bytes(line), self._waiting, self._report, listening=self._listening
                        )
                        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                            self._waiting = {each for each in self._waiting if str(each) != str(message.id)}
                        try:
                            if message is not None:
                                await out.send(SessionMessage(message))
                        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                            # A server that waits for room in its pipe does not see that its stdin is closed.
                            async for _ in process.stdout:
                                pass
                            return
                    line = bytearray(other)
            self.is_silent = True

    async def _write(self, process: Process, messages: Any, out: Any) -> None:
        """Write messages to stdin; a server that closed it has ended the connection."""
        assert process.stdin is not None
        async with messages:
            async for each in messages:
                message = each.message
                if isinstance(message, types.JSONRPCRequest):
                    is_endless = message.method == "subscriptions/listen"
                    (self._listening if is_endless else self._waiting).add(message.id)
                elif getattr(message, "method", "") == "notifications/cancelled":
                    self._waiting.discard((message.params or {}).get("requestId"))
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await process.stdin.send(f"{text}\n".encode())
                except (OSError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await out.aclose()
                    return

    async def _read_log(self, process: Process) -> None:
        """Remember the end of stderr, and pass on its lines, in parts if they are long."""
        assert process.stderr is not None
        line = b""
        async for chunk in process.stderr:
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
        await process.stdin.aclose()
        if not await _has_ended(process):
            self._signal(signal.SIGTERM)
            await _has_ended(process)
        with anyio.move_on_after(_LOG_SECONDS):
            await self._log_ended.wait()

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


async def _has_ended(process: Process) -> bool:
    """Wait for the end of a process, not for that of its children, which may have its pipes."""
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:
            await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None
