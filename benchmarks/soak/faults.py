"""Faults of clients. No other call may notice them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from tests.end_to_end.raw_http import LEGACY, MODERN
from tests.replicas.http_client import HttpClient, RefusedError, SentError

from .calls import Soak

PAUSE: Final = 0.5  # seconds between two faults of one kind
ANSWER_SECONDS: Final = 30.0
_RESET: Final = struct.pack("ii", 1, 0)  # SO_LINGER: close with RST

_JSON: Final = b"content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
_CALL: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "waiting",
        "arguments": {"number": 1},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
_MODERN: Final = (
    b"mcp-protocol-version: %s\r\nmcp-method: tools/call\r\nmcp-name: waiting\r\n" % MODERN.encode()
)


def _post(body: bytes, headers: bytes = _MODERN) -> bytes:
    head = b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n%s%scontent-length: %d\r\n\r\n"
    return head % (_JSON, headers, len(body)) + body


MALFORMED: Final = (
    b"\x00\x01\x02\x03 nonsense\r\n\r\n",
    b"POST /mcp HTTP/9.9\r\nhost: 127.0.0.1\r\n\r\n",
    b"DELETE /other HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: many\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\nhost: elsewhere.example\r\ncontent-length: 2\r\n\r\n{}",
    _post(b""),
    _post(b"{"),
    _post(b"[" * 5000),
    _post(b'"text"'),
    _post(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}'),
    _post(b'{"jsonrpc": "2.0", "id": {}, "method": "\\ud800"}'),
    _post(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', b"mcp-session-id: unknown\r\n"),
    _post(json.dumps(_CALL).encode(), b"mcp-protocol-version: 1066-10-14\r\n"),
    _post(json.dumps(_CALL).encode().replace(b'"number": 1', b'"number": 1e999')),
)
"""Requests that a server answers with an error, or by closing the connection."""


async def malformed(run: Soak, number: int) -> str:
    """Send an invalid request. Any answer except a result is right; silence is not."""
    sent = MALFORMED[number % len(MALFORMED)]
    reader, writer = await _open(run)
    try:
        writer.write(sent)
        async with asyncio.timeout(ANSWER_SECONDS):
            answer = await reader.read(65_536)
    except TimeoutError:
        run.wrong.append(f"nothing answered {sent[:200]!r}")
        return "no answer"
    finally:
        writer.close()
    if b'"structuredContent"' in answer:
        run.wrong.append(f"{answer[-200:]!r} answered {sent[:200]!r}")
    return answer[9:12].decode(errors="replace") if answer.startswith(b"HTTP") else "closed"


async def cut(run: Soak, number: int) -> str:
    """Close a connection in the middle of a request, or before its answer: half of them with RST."""
    _, writer = await _open(run)
    request = _post(json.dumps(_CALL).encode())
    writer.write(request[: random.randrange(len(request) + 1)] if number % 4 < 2 else request)
    await writer.drain()
    await asyncio.sleep(0.005)
    if number % 2:
        connected: socket.socket = writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()
    return "in the request" if number % 4 < 2 else "before the answer"


async def cancelled(run: Soak, number: int) -> str:
    """Cancel a call in a session, as clients of the older era do; every fourth session is left open."""
    calling, other = HttpClient(run.url, "legacy"), HttpClient(run.url, "legacy")
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await calling.request("ping", {})
            other.session = calling.session
            params = {"name": "cancelled_waiting", "arguments": {"number": number}}
            call = asyncio.create_task(calling.request("tools/call", params))
            await asyncio.sleep(0.05)
            await other.notify("notifications/cancelled", {"requestId": calling.last_id})
            await asyncio.sleep(0.05)
            call.cancel()
            await asyncio.wait([call])
            if number % 4:
                await _end_session(run, calling.session or "")
        return "in a session"
    finally:
        calling.close()
        other.close()


async def _end_session(run: Soak, session: str) -> None:
    reader, writer = await _open(run)
    head = f"DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nmcp-session-id: {session}\r\n"
    writer.write(f"{head}mcp-protocol-version: {LEGACY}\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    writer.close()


async def _open(run: Soak) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", urlsplit(run.url).port)


async def inject(run: Soak, fault: Callable[[Soak, int], Awaitable[str]]) -> None:
    """Repeat a fault until the task is cancelled."""
    for number in itertools.count():
        with contextlib.suppress(OSError, EOFError, TimeoutError, ValueError, SentError, RefusedError):
            run.others[f"{fault.__name__}: {await fault(run, number)}"] += 1
        await asyncio.sleep(PAUSE)


def start_faults(run: Soak) -> list[asyncio.Task[None]]:
    """Start all faults."""
    return [asyncio.create_task(inject(run, fault)) for fault in (malformed, cut, cancelled)]
