"""Link the HTTP connection of a request with the tool call that the request started."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from mcp.server import ServerRequestContext

from .calls_in_flight import CallsInFlight

SCOPE_KEY: Final = "toolgen.exchange"  # in the ASGI scope
CALLED: Final = "toolgen.called"  # in the ASGI scope: the request has called a tool, and has a record
CLIENT_LEFT: Final = "The client has disconnected."


def _nothing() -> None:
    pass


class Exchange:
    """A POST of a session up to 2025-11-25 that starts a request.

    The SDK completes such a request when the client disconnects, as the protocol of those versions says. That
    is right for a call with an effect; a stream only has its reader, and is ended here.
    `on_done` is called once, when the connection and the call have both ended: the id may then be used again.
    """

    def __init__(self, on_done: Callable[[], None]) -> None:
        self._on_done = on_done
        self._connected = True
        self._running = 0  # calls
        self._end_stream: Callable[[], None] = _nothing  # the call that only streams to this client

    @contextmanager
    def handling(self, calls: CallsInFlight, *, ends_with_client: bool) -> Iterator[None]:
        """Mark the call of this request as running."""
        self._running += 1
        task = asyncio.current_task()
        if ends_with_client and task is not None:
            self._end_stream = partial(calls.end, task, CLIENT_LEFT)
            if not self._connected:  # the client disconnected before the call began
                asyncio.get_running_loop().call_soon(lambda: self._end_stream())
        try:
            yield
        finally:
            self._end_stream = _nothing
            self._running -= 1
            self._finish()

    def disconnect(self) -> None:
        """Note that the connection has ended, with or without an answer."""
        self._connected = False
        self._end_stream()
        self._finish()

    def _finish(self) -> None:
        if not self._connected and not self._running:
            self._on_done()


def exchange_of(context: ServerRequestContext[Any, Any]) -> Exchange | None:
    """Return the exchange of a request; None for stdio, and for clients since 2026-07-28."""
    request = context.request
    found = None if request is None else request.scope.get(SCOPE_KEY)
    return found if isinstance(found, Exchange) else None
