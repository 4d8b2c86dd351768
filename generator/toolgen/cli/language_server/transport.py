"""Messages of LSP over stdin and stdout. Garbage and messages that are too long do not end the session."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import sys
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import RPCMessage, RPCRequest

_CHUNK_BYTES: Final = 64 * 1024
_MAX_HEADER: Final = 64 * 1024
_MAX_MESSAGE: Final = 64 * 1024 * 1024  # bytes; a spec has at most 4 MiB
_LENGTH: Final = re.compile(rb"Content-Length: (\d+)\r\n\Z")


def serve_stdio(server: LanguageServer) -> int:
    """Serve one client until it or a signal ends it; return the exit code that LSP asks for."""
    _silence_logs()
    try:
        asyncio.run(_serve(server))
    except SystemExit as end:  # the notification `exit`: 0 after `shutdown`, as LSP asks, or else 1
        return int(end.code or 0)
    except BrokenPipeError:
        return 1
    return 1  # the client is gone, without `exit`


async def _serve(server: LanguageServer) -> None:
    with suppress(NotImplementedError):  # Windows
        # This wakes the loop for every signal: without it, one that arrives just before the loop begins to
        # wait for the editor is noticed only with the next message.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, signal.raise_signal, signal.SIGINT)
    server.protocol.set_writer(_Output())
    await run_async(
        stop_event=threading.Event(),
        reader=_Input(sys.stdin.fileno()),
        protocol=server.protocol,
        error_handler=server.report_server_error,
    )


def _silence_logs() -> None:
    """Keep texts of the client off stderr: pygls logs every message that it cannot handle."""
    log = logging.getLogger("pygls")
    log.addHandler(logging.NullHandler())
    log.propagate = False


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol of pygls, with an answer to requests that come at the wrong time or cannot be read."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the typed message; if that fails, answer it first: nothing else knows its id."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), int | str):
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def handle_message(self, message: RPCMessage) -> None:
        """Handle a message, or refuse a request that LSP does not allow now."""
        if isinstance(message, RPCRequest) and (refusal := self._refusal(message)):
            self._send_response(message.id, error=refusal.to_response_error())
        else:
            super().handle_message(message)

    def _refusal(self, request: RPCRequest) -> JsonRpcException | None:
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shutting down: send `exit`")
        is_initialize = request.method == types.INITIALIZE
        if self._workspace is None:
            return None if is_initialize else JsonRpcServerNotInitialized("send `initialize` first")
        return JsonRpcInvalidRequest("`initialize` was sent before") if is_initialize else None


class _Output:
    """Stdout, which stays open: the command line flushes it at the end."""

    def write(self, data: bytes) -> None:
        """Write a message."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def close(self) -> None:
        """Do nothing."""


class _Input:
    """The bytes of a descriptor. A daemon thread reads them, which does not delay the end of the server."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._bytes = asyncio.StreamReader(limit=_MAX_HEADER)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _read(self) -> None:
        # waits for each chunk to be taken: what is read ahead stays small
        with suppress(RuntimeError, CancelledError):  # the loop has ended
            while chunk := self._chunk():
                asyncio.run_coroutine_threadsafe(self._feed(chunk), self._loop).result()
            self._loop.call_soon_threadsafe(self._bytes.feed_eof)

    async def _feed(self, chunk: bytes) -> None:
        self._bytes.feed_data(chunk)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK_BYTES)
        except OSError:
            return b""

    async def readline(self) -> bytes:
        """Return the next line, or only the header at its end; a length that is too large makes it none.

        A body ends without a newline: after a wrong length, the rest of one is before the next header.
        """
        line = b""
        while not line.endswith(b"\n"):
            try:
                line += await self._bytes.readuntil(b"\n")
            except asyncio.LimitOverrunError as long:
                line = line[-_CHUNK_BYTES:] + await self._bytes.readexactly(long.consumed)
            except asyncio.IncompleteReadError as end:
                return end.partial
        header = _LENGTH.search(line)
        if header is None:
            return line
        # Nothing is skipped: the length may be wrong, and what follows may be the next messages.
        is_too_long = len(header[1]) > len(str(_MAX_MESSAGE)) or int(header[1]) > _MAX_MESSAGE
        return b"too long\r\n" if is_too_long else header[0]

    async def readexactly(self, count: int) -> bytes:
        """Return a message; nothing at the end of the input."""
        try:
            return await self._bytes.readexactly(count)
        except asyncio.IncompleteReadError:
            return b""
