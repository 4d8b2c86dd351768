"""Servers that do not do what HTTP says: no answer, half an answer, no HTTP, a cookie for the next one."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable

import pytest
from toolgen.runtime.errors import ToolTimeoutError, UnreachableError
from toolgen.runtime.http.client import close_client, send
from toolgen.runtime.http.request import PreparedRequest

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def asked(serve: Serve, *, times: int = 1, seconds: float = 5.0) -> list[bytes]:
    """The replies of a server that `serve` is, asked `times`."""

    async def run() -> list[bytes]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            request = PreparedRequest("GET", f"http://127.0.0.1:{port}/x?key=s3cret", secrets=["s3cret"])
            return [(await send(request, seconds)).content for _ in range(times)]
        finally:
            await close_client()
            server.close()

    return asyncio.run(run())


def answering(*replies: bytes) -> Serve:
    left = list(replies)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(left.pop(0))
        await writer.drain()
        writer.close()

    return serve


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


def test_silence_has_an_end() -> None:
    with pytest.raises(ToolTimeoutError, match=r"^http://127.0.0.1:\d+ did not answer within 0.2 seconds\.$"):
        asked(silent, seconds=0.2)


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"this is not HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Encoding: gzip\r\n\r\nhalf",
    ],
)
def test_what_is_no_reply(reply: bytes) -> None:
    with pytest.raises(UnreachableError, match=r"^http://127.0.0.1:\d+ cannot be reached: "):
        asked(answering(reply))


def test_cookies_are_not_kept() -> None:
    seen: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                seen.append(await reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError:
                break
            writer.write(b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=1; Path=/\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    assert asked(serve, times=2) == [b"{}", b"{}"]
    assert len(seen) == 2
    assert not any(b"cookie" in request.lower() for request in seen)


def packed(layers: int, content: bytes) -> bytes:
    """A reply that is compressed several times."""
    body = content
    for _ in range(layers):
        body = gzip.compress(body)
    names = ", ".join(["gzip"] * layers)
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: {names}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def test_a_reply_in_several_layers_is_refused() -> None:
    with pytest.raises(UnreachableError, match="a compression other than gzip"):
        asked(answering(packed(3, b"hello")))


def test_a_reply_that_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    with pytest.raises(UnreachableError, match="more than 20 MB"):
        asked(answering(packed(1, bytes(500_000_000))))
