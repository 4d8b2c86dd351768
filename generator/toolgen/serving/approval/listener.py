"""Pages of approvals on ports of this machine: for stdio servers, commands, and `toolgen approvers add`."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from hmac import compare_digest
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Final
from urllib.parse import urlencode, urlsplit

import uvicorn
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from toolgen.runtime.approval.approvals import ApprovalError, Approvals
from toolgen.runtime.approval.approvers import Approver
from toolgen.serving.auth.addresses import listen

from .pages import FILE_ROUTES, PATH, ApprovalPages, read_body, refusal, with_headers

_ATTEMPTS: Final = 20  # at a port that is free on both addresses
_NO_IPV6: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def listen_on_loopback(port: int) -> list[socket.socket]:
    """Listen at one port of 127.0.0.1 and of ::1, which browsers both try for `localhost`.

    Port 0 is one that is free on both. A machine without IPv6 has 127.0.0.1 alone. Raises OSError if a port
    is taken: whoever holds it on the other address would be taken for this server.
    """
    for attempt in range(_ATTEMPTS):
        first = listen("127.0.0.1", port)
        try:
            return [first, listen("::1", first.getsockname()[1])]
        except OSError as error:
            if error.errno in _NO_IPV6:
                return [first]
            first.close()
            if port or attempt + 1 == _ATTEMPTS:
                raise
    raise AssertionError("unreachable")


@asynccontextmanager
async def serving(app: ASGIApp, port: int = 0) -> AsyncIterator[int]:
    """Serve an application on loopback in the running event loop, and yield the port. Raises OSError."""
    sockets = listen_on_loopback(port)
    config = uvicorn.Config(
        app,
        interface="asgi3",
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets))
    try:
        yield sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await running


class _Server(uvicorn.Server):
    """uvicorn's server beside others, which handle the signals."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


@asynccontextmanager
async def serving_pages(approvals: Approvals | None) -> AsyncIterator[None]:
    """Serve the pages of approvals at their address on this machine, or at a free port. Raises OSError."""
    parts = urlsplit("http://localhost" if approvals is None or approvals.url is None else approvals.url)
    if approvals is None or parts.scheme != "http":
        yield
        return
    async with serving(ApprovalPages(approvals), parts.port or 0) as port:
        approvals.use_url(f"http://localhost:{port}")
        yield


async def make_key(name: str, groups: Sequence[str], announce: Callable[[str], None]) -> Approver:
    """Serve the page that makes a key until somebody has made one, and return its entry.

    `announce` gets the address of the page. Raises OSError.
    """
    made: asyncio.Future[Approver] = asyncio.get_running_loop().create_future()
    # in the address alone, so that no other program can send a key of its own
    origin, secret = "", token_urlsafe()

    async def receive(request: Request) -> Response:
        if not compare_digest(request.query_params.get("terminal", "").encode(), secret.encode()):
            return refusal(ApprovalError(403, "This is not the address in the terminal."))
        try:
            key = Approver(**await read_body(request, origin))
        except (ApprovalError, ValidationError) as error:
            return refusal(error if isinstance(error, ApprovalError) else ApprovalError(400, "It is no key."))
        if (key.name, key.groups) != (name, list(groups)):
            return refusal(ApprovalError(400, "It is the key of somebody else."))
        if not made.done():
            made.set_result(key)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    router = Router([*FILE_ROUTES, Route(f"{PATH}enrol", receive, methods=["POST"])])
    async with serving(partial(with_headers, router)) as port:
        origin = f"http://localhost:{port}"
        query = urlencode([("name", name), *(("group", each) for each in groups), ("terminal", secret)])
        announce(f"{origin}{PATH}enrol?{query}")
        return await made
