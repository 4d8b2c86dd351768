"""Several server processes of one project."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

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


def free_port() -> int:
    """Return an unused port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
