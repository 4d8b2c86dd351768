"""The stdio transport: JSON-RPC messages, one a line, on stdin and stdout.

The SDK's own gives a request that it cannot parse no answer, has no limit for a line, and does not stop while
stdin is open (measured with 2.3).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from io import BufferedReader
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic_core import PydanticSerializationError, ValidationError, from_json, to_json

from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.runtime.own_threads import OwnThreads
from toolgen.runtime.text import well_formed_value
from toolgen.serving.server import ToolServer, report_approvals

from .body import INVALID_ID, RefusedError, check_values, has_invalid_id, read_id
from .stopping import Stop, end_calls

LINES_AHEAD: Final = 16  # read from stdin before the server takes them
NO_MESSAGE: Final = "This is not a JSON-RPC 2.0 message."


def serve_stdio(server: ToolServer) -> int:
    """Serve one client over stdin and stdout until it or a signal ends it; return the exit code.

    The pages of approvals are served as long, if tools need people. Raises SettingError.
    """
    return run_event_loop(lambda: _serve_with_pages(server, _Stdio(server).serve))


async def _serve_with_pages(server: ToolServer, serve: Callable[[], Awaitable[int]]) -> int:
    if (approvals := server.state.approvals) is None:
        return await serve()
    from toolgen.serving.approval.listener import serving_pages  # of tools that people approve

    async with serving_pages(approvals):
        report_approvals(server)
        return await serve()


class _Stdio:
    """One connection over stdin and stdout."""

    def __init__(self, server: ToolServer) -> None:
        self._server = server
        self._settings = server.state.settings
        server.state.serve_only_client()
        server.state.calls.has_own_tasks = True
        self._requests: set[str | int] = set()  # that have not been answered
        self._answered = asyncio.Event()  # set when all of them have been answered
        self._stopping = asyncio.Event()
        self._at_end = asyncio.Event()  # of stdin
        self._disconnected = asyncio.Event()  # the client has closed stdout

    async def serve(self) -> int:
        """Serve until the client or a signal ends it."""
        loop = asyncio.get_running_loop()
        approvals = self._server.state.approvals  # all that a server over stdio reads again
        stop = Stop(
            self._settings.grace,
            lambda: loop.call_soon_threadsafe(self._stopping.set),
            None if approvals is None else lambda: loop.call_soon_threadsafe(approvals.reload),
        )
        with _private_descriptors() as (stdin, stdout), stop.handling_signals():
            lines = _Lines(stdin, self._settings.max_request_bytes)
            output = _Output(stdout, lambda: loop.call_soon_threadsafe(self._disconnected.set))
            # no buffer: the queues of the threads are limited already
            incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
            ending = loop.create_task(self._end(incoming, stop))
            receiving = loop.create_task(self._receive(lines, incoming, output))
            sending = loop.create_task(self._send(outgoing, output))
            options = self._server.create_initialization_options()
            with contextlib.redirect_stdout(sys.stderr):
                await self._server.run(reading, writing, options)
            for task in (ending, receiving):
                task.cancel()
            await sending
        return stop.exit_code

    async def _end(self, incoming: Any, stop: Stop) -> None:
        """End the server when all requests are answered, after a signal or the end of stdin.

        If the client has closed stdout, nobody would get the answers, and the server ends at once.
        """
        await _wait_for_any(self._disconnected, self._stopping, self._at_end)
        if not self._stopping.is_set():  # else, the handler of the signal did this
            stop.set_deadline()
        state = self._server.state
        state.stopping = self._stopping.is_set()  # requests before the end of stdin are answered
        await end_calls(state, self._settings.grace, self._is_answered_within)
        await incoming.aclose()

    async def _is_answered_within(self, seconds: float) -> bool:
        """True if all requests are answered in time, or the client does not wait for answers any more."""
        if not self._requests or self._disconnected.is_set():
            return True
        self._answered.clear()
        return await _wait_for_any(self._answered, self._disconnected, seconds=seconds)

    async def _receive(self, lines: _Lines, incoming: Any, output: _Output) -> None:
        async for line in lines:
            if line is None:
                refusal = _refusal(None, types.INVALID_REQUEST, lines.too_long)
            # an empty line is no message, and its sender waits for no answer
            elif line.isspace() or not line:
                continue
            else:
                try:
                    check_values(line, self._settings.max_request_bytes)
                    # not `validate_json`, which would copy each level, and take twice the memory
                    parsed = from_json(line)
                    message = types.jsonrpc_message_adapter.validate_python(parsed, by_name=False)
                except RefusedError as refused:
                    refusal = _refusal(read_id(line), refused.code, str(refused))
                except ValidationError:
                    refusal = _refusal(read_id(line), types.INVALID_REQUEST, NO_MESSAGE)
                except ValueError as error:
                    refusal = _refusal(read_id(line), types.PARSE_ERROR, f"Parse error: {error}")
                else:
                    is_notification = isinstance(message, types.JSONRPCNotification)
                    if not (is_notification and has_invalid_id(parsed)):
                        self._note(message)
                        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                            await incoming.send(SessionMessage(message))
                        continue
                    refusal = _refusal(None, types.INVALID_REQUEST, INVALID_ID)
            await output.write(refusal)
        self._at_end.set()

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._requests.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))  # a cancelled request is not answered

    def _settle(self, request_id: Any) -> None:
        if isinstance(request_id, str | int):
            self._requests.discard(request_id)
        if not self._requests:
            self._answered.set()

    async def _send(self, outgoing: Any, output: _Output) -> None:
        async for each in outgoing:
            message = each.message
            await output.write(message)
            if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                self._settle(message.id)


async def _wait_for_any(*events: asyncio.Event, seconds: float | None = None) -> bool:
    """Wait until one of `events` is set, or for `seconds`. True if one is set."""
    waits = [asyncio.ensure_future(each.wait()) for each in events]
    try:
        done, _ = await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return bool(done)
    finally:
        for each in waits:
            each.cancel()


def _refusal(message_id: str | int | None, code: int, message: str) -> types.JSONRPCError:
    error = types.ErrorData(code=code, message=message)
    return types.JSONRPCError(jsonrpc="2.0", id=message_id, error=error)


class _Lines:
    """Lines of a descriptor, read by a daemon thread, which does not delay the end of the server.

    A line of more than `limit` bytes is skipped, and None is yielded for it.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        self.too_long = f"The request is larger than {limit} bytes."
        self._descriptor = descriptor
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(LINES_AHEAD)

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        threading.Thread(target=self._read, name="stdin", daemon=True).start()
        while (line := await self._lines.get()) != b"":
            yield line
            self._room.release()

    def _read(self) -> None:
        # RuntimeError: the loop has ended
        with contextlib.suppress(RuntimeError), open(self._descriptor, "rb", closefd=False) as stream:
            while line := self._next(stream):
                self._room.acquire()
                whole = line if len(line.rstrip(b"\r\n")) <= self._limit else None
                self._loop.call_soon_threadsafe(self._lines.put_nowait, whole)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, b"")

    def _next(self, stream: BufferedReader) -> bytes:
        """Return the next line, or the beginning of one that is too long; empty at the end."""
        line = rest = stream.readline(self._limit + 2)
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(self._limit)
        return line


class _Output:
    """Writes lines to a descriptor in a thread, so that a client that does not read blocks no other task.

    `on_closed` is called in that thread when the client has closed its end.
    """

    def __init__(self, descriptor: int, on_closed: Callable[[], object]) -> None:
        self._descriptor = descriptor
        self._on_closed = on_closed
        self._thread = OwnThreads("stdout", 1)

    async def write(self, message: types.JSONRPCMessage) -> None:
        """Write a message; wait until the client has read enough of it."""
        line = encode_message(message) + b"\n"
        await self._thread.run(lambda: self._write(line))

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            self._on_closed()


@contextlib.contextmanager
def _private_descriptors() -> Iterator[tuple[int, int]]:
    """Yield duplicates of stdin and stdout for the protocol.

    For tools, stdin is empty and stdout goes to stderr, so that they cannot disturb the protocol.
    """
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # a `print` of a tool must not become a message of the protocol
    os.dup2(2, 1)
    if sys.__stdout__ is not None:
        sys.__stdout__.flush()  # earlier output must not precede the protocol
    try:
        yield stdin, stdout
    finally:
        if sys.__stdout__ is not None:
            with contextlib.suppress(OSError, ValueError):
                sys.__stdout__.flush()
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)


def encode_message(message: types.JSONRPCMessage) -> bytes:
    """Return a message as JSON."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except PydanticSerializationError:  # a text that is not valid Unicode must not end the connection
        data = message.model_dump(by_alias=True, exclude_unset=True, mode="python")
        return to_json(well_formed_value(data))
