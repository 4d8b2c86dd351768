"""Reading request bodies within bounds of size and time, and JSON-RPC errors as HTTP responses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias

from pydantic_core import from_json

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

INVALID_REQUEST: Final = -32600

START_SECONDS: Final = 10.0
"""For the headers of a request, and for the first bytes of its body."""
BYTES_PER_SECOND: Final = 64 * 1024
"""A body may take a second longer for each of these."""


class RefusedError(Exception):
    """A request that is answered with an HTTP status and a JSON-RPC error."""

    def __init__(self, status: int, code: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers


async def read_body(headers: Mapping[bytes, bytes], receive: Receive, limit: int) -> bytes | None:
    """Read the body of a request; None if the client has left.

    Raises RefusedError if it is larger than `limit` bytes, or arrives too slowly.
    """
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and (len(declared) > 18 or int(declared) > limit):
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(START_SECONDS) as deadline:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                part = message.get("body", b"")
                size += len(part)
                if size > limit:
                    raise _too_large(limit)
                parts.append(part)
                if not message.get("more_body", False):
                    return parts[0] if len(parts) == 1 else b"".join(parts)
                latest = deadline.when()
                assert latest is not None
                deadline.reschedule(latest + len(part) / BYTES_PER_SECOND)
    except TimeoutError:
        raise RefusedError(408, INVALID_REQUEST, "The body of the request did not arrive in time.") from None


def _too_large(limit: int) -> RefusedError:
    return RefusedError(413, INVALID_REQUEST, f"The request is larger than {limit} bytes.")


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body which has been read, and then what `receive` gives."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


def request_in(body: bytes) -> tuple[str | int | None, str | None]:
    """Return the id and the method of the JSON-RPC message in a body; None for what it does not have."""
    try:
        message: Any = from_json(body)
    except ValueError:
        return None, None
    if not isinstance(message, dict):
        return None, None
    number, method = message.get("id"), message.get("method")
    known = isinstance(number, str | int) and not isinstance(number, bool)
    return number if known else None, method if isinstance(method, str) else None


async def refuse(refused: RefusedError, number: str | int | None, send: Send) -> None:
    """Answer with the JSON-RPC error of a refused request; close the connection unless it may go on."""
    error = {"code": refused.code, "message": str(refused)}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body))}
    if refused.status != 400:  # the request has not been read, or the server has no time for others
        headers["connection"] = "close"
    fields = [
        (name.replace("_", "-").encode(), value.encode())
        for name, value in {**headers, **refused.headers}.items()
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": fields})
    await send({"type": "http.response.body", "body": body, "more_body": False})
