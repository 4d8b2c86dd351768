"""Pages of approvals on ports of this machine: for stdio servers, commands, and `toolgen approvers add`."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from hmac import compare_digest
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Final
from urllib.parse import urlencode, urlsplit

import uvicorn
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from toolgen.runtime.approval.approvals import ApprovalError, Approvals
from toolgen.runtime.approval.approvers import Approver
from toolgen.runtime.settings import SettingError
from toolgen.serving.auth.addresses import listen

from .pages import PATH, ApprovalPages, read_body, with_files

LOOPBACK: Final = ("127.0.0.1", "::1")
_HELD_BY: Final = {"localhost": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
_NO_IPV6: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def listen_for_pages(host: str, port: int) -> list[socket.socket]:
    """Listen at one port of `host`, of 127.0.0.1 and of ::1, which browsers both try for `localhost`.

    A machine without IPv6 has no ::1. Raises OSError if the port is taken on one of them: whoever holds it
    there would be taken for this server.
    """
    with ExitStack() as stack:
        listening = [stack.enter_context(listen(host, port))]
        port = listening[0].getsockname()[1]
        for address in LOOPBACK:
            try:
                if address != _HELD_BY.get(host, host):
                    listening.append(stack.enter_context(listen(address, port)))
            except OSError as error:
                if error.errno not in _NO_IPV6:
                    raise
        stack.pop_all()  # all of them stay open
    return listening


@asynccontextmanager
async def serving(app: ASGIApp, port: int = 0) -> AsyncIterator[int]:
    """Serve an application on loopback in the running event loop, and yield the port. Raises SettingError."""
    try:
        sockets = listen_for_pages(LOOPBACK[0], port)
    except OSError as error:
        why = f"{os.strerror(error.errno or 0)}; choose another --approval-url"
        raise SettingError(f"cannot listen on port {port} of 127.0.0.1 and ::1: {why}") from None
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
async def serving_pages(approvals: Approvals) -> AsyncIterator[None]:
    """Serve the pages of approvals on this machine, at their port or a free one. Raises SettingError."""
    parts = urlsplit(approvals.url or "http://localhost:0")
    if parts.scheme != "http":  # those of another server, which shares the store
        yield
        return
    async with serving(ApprovalPages(approvals), 80 if parts.port is None else parts.port) as port:
        approvals.use_url(f"http://localhost:{port}")
        yield


async def make_key(name: str, groups: Sequence[str], announce: Callable[[str], None]) -> Approver:
    """Serve the page that makes a key until somebody has made one, and return its entry.

    `announce` gets the address of the page. Raises SettingError.
    """
    made: asyncio.Future[Approver] = asyncio.get_running_loop().create_future()
    # in the address alone, so that no other program can send a key of its own
    origin, secret = "", token_urlsafe()

    async def receive(request: Request) -> Response:
        if not compare_digest(request.query_params.get("terminal", "").encode(), secret.encode()):
            raise ApprovalError(403, "This is not the address in the terminal.")
        try:
            key = Approver(**await read_body(request, origin))
        except ValidationError:
            raise ApprovalError(400, "It is not a key.") from None
        if (key.name, key.groups) != (name, list(groups)):
            raise ApprovalError(400, "It is the key of somebody else.")
        if not made.done():
            made.set_result(key)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async with serving(with_files(Route(f"{PATH}enrol", receive, methods=["POST"]))) as port:
        origin = f"http://localhost:{port}"
        query = urlencode([("name", name), *(("group", each) for each in groups), ("terminal", secret)])
        announce(f"{origin}{PATH}enrol?{query}")
        return await made
