"""Messages of LSP over stdin and stdout. A client that sends garbage, or too much, does not end it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Final

from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer

_CHUNK_BYTES: Final = 64 * 1024
_MAX_HEADER: Final = 64 * 1024
_MAX_MESSAGE: Final = 64 * 1024 * 1024  # bytes; a spec has at most 4 MiB


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
        """Return a line of the headers; one that is too long is none."""
        try:
            return await self._bytes.readline()
        except ValueError:
            return b"too long\r\n"

    async def readexactly(self, count: int) -> bytes:
        """Return a message; nothing at the end of the input, and `null` for one that is too long."""
        left = count
        while left > _MAX_MESSAGE:
            skipped = await self._bytes.read(_CHUNK_BYTES)
            if not skipped:
                return b""
            left -= len(skipped)
        try:
            body = await self._bytes.readexactly(left)
        except asyncio.IncompleteReadError:
            return b""
        return body if left == count else b"null"
