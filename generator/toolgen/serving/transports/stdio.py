"""The stdio transport: JSON-RPC messages, one a line, on stdin and stdout.

A JSON encoder would hold the interpreter for as long as it copies and escapes large data. Base64 needs no
escapes: a message is encoded with a placeholder for each, and written in pieces.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import re
import secrets
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final, TypeAlias

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic_core import PydanticSerializationError, ValidationError, from_json, to_json

from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.runtime.text import well_formed_value
from toolgen.serving.server import ToolServer

from .body import INVALID_ID, RefusedError, check_containers, parse_head, read_id
from .stopping import Stop, closed_in_children, end_calls, wait_for_first

CHUNK_BYTES: Final = 64 * 1024
CHUNKS_AHEAD: Final = 16  # read from stdin before the server takes them
UNWRITTEN_BYTES: Final = 1024 * 1024  # of answers that the client has not read
NO_MESSAGE: Final = "This is not a JSON-RPC 2.0 message."

Piece: TypeAlias = bytes | str
"""A part of an encoded message; a str is ASCII."""

LARGE: Final = 256 * 1024  # characters, from which data is written as a piece of its own
_UNSAFE: Final = ('"', "\\", "\n", "\r", "\t")
_TOKEN: Final = secrets.token_hex(16)  # that no text of a tool contains
_PLACEHOLDER: Final = re.compile(rf"{_TOKEN}-(\d+)".encode())


def serve_stdio(server: ToolServer) -> int:
    """Serve one client over stdin and stdout until it or a signal ends it; return the exit code."""
    return run_event_loop(_Stdio(server).serve)


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
        stop = Stop(self._settings.grace, lambda: loop.call_soon_threadsafe(self._stopping.set))
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
            await output.close()
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
                    check_containers(line, self._settings.max_request_bytes)
                    message = _parsed(line)
                except RefusedError as refused:
                    refusal = _refusal(read_id(line), refused.code, str(refused))
                except ValidationError:
                    refusal = _refusal(read_id(line), types.INVALID_REQUEST, NO_MESSAGE)
                except ValueError as error:
                    refusal = _refusal(read_id(line), types.PARSE_ERROR, f"Parse error: {error}")
                else:
                    is_notification = isinstance(message, types.JSONRPCNotification)
                    # the SDK takes a request with an id that is not valid for a notification
                    if not (is_notification and parse_head(line).has_invalid_id):
                        self._note(message)
                        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                            await incoming.send(SessionMessage(message))
                        continue
                    refusal = _refusal(None, types.INVALID_REQUEST, INVALID_ID)
            await output.write([refusal.model_dump_json(by_alias=True, exclude_unset=True).encode()])
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
            await output.write(encode_message(message))
            if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                self._settle(message.id)


async def _wait_for_any(*events: asyncio.Event, seconds: float | None = None) -> bool:
    """Wait until one of `events` is set, or for `seconds`. True if one is set."""
    return bool(await wait_for_first(map(asyncio.ensure_future, (each.wait() for each in events)), seconds))


def _parsed(line: bytes) -> types.JSONRPCMessage:
    """Return the message in a line. Raises ValueError if it is not JSON, ValidationError if it is no message.

    The adapter's `validate_json` would copy each level of the arguments, and take twice the memory.
    """
    return types.jsonrpc_message_adapter.validate_python(from_json(line), by_name=False)


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
        self._chunks: asyncio.Queue[list[bytes | None] | None] = asyncio.Queue()
        self._room = threading.Semaphore(CHUNKS_AHEAD)

    async def __aiter__(self) -> AsyncIterator[bytes | None]:
        threading.Thread(target=self._read, name="stdin", daemon=True).start()
        while (lines := await self._chunks.get()) is not None:
            for line in lines:
                yield line
            self._room.release()

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            for lines in self._split():
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, lines)
            self._loop.call_soon_threadsafe(self._chunks.put_nowait, None)

    def _split(self) -> Iterator[list[bytes | None]]:
        started: list[bytes] = []  # the beginning of a line
        size = 0
        while chunk := self._next_chunk():
            *ended, rest = chunk.split(b"\n")
            lines: list[bytes | None] = []
            for part in ended:
                size += len(part)
                lines.append(None if size > self._limit else b"".join((*started, part)))
                started, size = [], 0
            size += len(rest)
            if size > self._limit:
                started = []
            elif rest:
                started.append(rest)
            if lines:
                yield lines
        if size:
            yield [None if size > self._limit else b"".join(started)]

    def _next_chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, CHUNK_BYTES)
        except OSError:
            return b""


class _Output:
    """Writes lines to a descriptor in a thread, so that a client that does not read blocks no tool.

    `on_closed` is called in that thread when the client has closed its end.
    """

    def __init__(self, descriptor: int, on_closed: Callable[[], object]) -> None:
        self._descriptor = descriptor
        self._on_closed = on_closed
        self._loop = asyncio.get_running_loop()
        self._lines: queue.SimpleQueue[list[Piece] | None] = queue.SimpleQueue()
        self._given = self._written = 0  # bytes; each is changed by one thread only
        self._room = asyncio.Event()
        self._ended = asyncio.Event()
        threading.Thread(target=self._write, name="stdout", daemon=True).start()

    async def write(self, line: list[Piece]) -> None:
        """Write a line, in pieces; wait if the client does not read."""
        self._given += sum(map(len, line)) + 1
        self._lines.put([*line, b"\n"])
        # again after `clear`: the thread may have written between the test and it
        while self._given - self._written > UNWRITTEN_BYTES:
            self._room.clear()
            if self._given - self._written > UNWRITTEN_BYTES:
                await self._room.wait()

    async def close(self) -> None:
        """Wait until everything is written."""
        self._lines.put(None)
        await self._ended.wait()

    def _write(self) -> None:
        closed = False
        while (line := self._lines.get()) is not None:
            for piece in _chunks(line):
                rest = memoryview(piece)
                while rest and not closed:
                    try:
                        rest = rest[os.write(self._descriptor, rest) :]
                    except OSError:
                        closed = True
                        self._on_closed()
            self._written += sum(map(len, line))
            del line  # its data must not live until the next message
            self._call(self._room.set)
        self._call(self._ended.set)

    def _call(self, function: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function)


def _chunks(line: list[Piece]) -> Iterator[bytes]:
    """Yield the bytes of a line, those of short pieces at once and those of long ones in chunks."""
    if all(isinstance(piece, bytes) for piece in line):
        yield b"".join(line)  # type: ignore[arg-type]
        return
    for piece in line:
        if isinstance(piece, bytes):
            yield piece
        else:
            yield from (piece[at : at + CHUNK_BYTES].encode() for at in range(0, len(piece), CHUNK_BYTES))


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
        with closed_in_children(stdin, stdout):
            yield stdin, stdout
    finally:
        if sys.__stdout__ is not None:
            with contextlib.suppress(OSError, ValueError):
                sys.__stdout__.flush()
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)


def encode_message(message: types.JSONRPCMessage) -> list[Piece]:
    """Return a message as JSON, in pieces."""
    if isinstance(message, types.JSONRPCResponse):
        found: list[str] = []
        result = _without_data(message.result, found)
        if found:
            return list(_pieces(message.model_copy(update={"result": result}), found))
    try:
        return [message.model_dump_json(by_alias=True, exclude_unset=True).encode()]
    except PydanticSerializationError:  # a text that is not valid Unicode must not end the connection
        data = message.model_dump(by_alias=True, exclude_unset=True, mode="python")
        return [to_json(well_formed_value(data))]


def _pieces(message: types.JSONRPCMessage, data: list[str]) -> Iterator[Piece]:
    parts = _PLACEHOLDER.split(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
    yield parts[0]
    for number, rest in zip(parts[1::2], parts[2::2], strict=True):
        yield data[int(number)]
        yield rest


def _without_data(value: Any, found: list[str]) -> Any:
    """Return a copy of a result with placeholders for the data of its blocks, which are added to `found`."""
    if not isinstance(value, dict):
        return value
    copy = dict(value)
    for key in ("content", "contents"):
        if isinstance(copy.get(key), list):
            copy[key] = [_without_data(each, found) for each in copy[key]]
    if isinstance(copy.get("resource"), dict):
        copy["resource"] = _without_data(copy["resource"], found)
    for key in ("data", "blob"):
        if _is_large(copy.get(key)):
            found.append(copy[key])
            copy[key] = f"{_TOKEN}-{len(found) - 1}"
    return copy


def _is_large(value: Any) -> bool:
    """True for a large text that JSON has as it is."""
    return (
        isinstance(value, str)
        and len(value) >= LARGE
        and value.isascii()
        # a tool may put any text there: JSON needs escapes for these
        and not any(each in value for each in _UNSAFE)
    )
