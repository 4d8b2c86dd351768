"""Server processes behind a proxy that distributes connections."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

from tests.end_to_end.project import HttpServer, Project

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


@asynccontextmanager
async def replicas(
    project: Project, number: int = 2, *, preloaded: bool = True, **env: str
) -> AsyncIterator[list[HttpServer]]:
    """Run stateless servers of a project."""
    async with AsyncExitStack() as stack:
        contexts = [project.server("--stateless", preloaded=preloaded, **env) for _ in range(number)]
        yield [await stack.enter_async_context(each) for each in contexts]


@asynccontextmanager
async def round_robin(servers: Sequence[HttpServer]) -> AsyncIterator[str]:
    """Yield the URL of a proxy in front of servers. Connections are closed after one request."""
    targets = itertools.cycle([(parts.hostname, parts.port) for parts in (urlsplit(s.url) for s in servers)])

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (
                        int(line[15:])
                        for line in head.split(b"\r\n")
                        if line.lower().startswith(b"content-length:")
                    ),
                    0,
                )
                body = await reader.readexactly(length)
                host, port = next(targets)
                upstream, out = await asyncio.open_connection(host, port)
                lines = [
                    line for line in head.split(b"\r\n") if line and not line.lower().startswith(b"host:")
                ]
                lines += [b"Host: %s:%d" % (str(host).encode(), port or 0), b"Connection: close"]
                out.write(b"\r\n".join([*lines, b"", body]))
                await out.drain()
                while chunk := await upstream.read(65_536):
                    writer.write(chunk)
                await writer.drain()
                out.close()
                break
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield urlunsplit(urlsplit(servers[0].url)._replace(netloc=f"127.0.0.1:{port}"))


def free_port() -> int:
    """Return an unused port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
