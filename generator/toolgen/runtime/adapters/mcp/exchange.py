"""One HTTP request of a session, seen from both ends: the connection it came by and the call it started."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from mcp.server import ServerRequestContext

from .service import CallsInFlight

SCOPE_KEY: Final = "toolgen.exchange"  # in the ASGI scope
CLIENT_LEFT: Final = "The client has left."


class Exchange:
    """A POST of a session up to 2025-11-25 that starts a request.

    The SDK runs such a request to its end when the client leaves, as the protocol of those versions says.
    That is right for a call that does something; a stream only works for its reader, and ends with it.
    `on_done` is called once, when the connection and the call have both ended: then the id may be used again.
    """

    def __init__(self, on_done: Callable[[], None]) -> None:
        self._on_done = on_done
        self._connected = True
        self._handled = 0  # calls that are running
        self._streaming: tuple[CallsInFlight, asyncio.Task[Any]] | None = None

    @contextmanager
    def handling(self, calls: CallsInFlight, *, ends_with_client: bool) -> Iterator[None]:
        """Run the call of this request."""
        self._handled += 1
        task = asyncio.current_task()
        if ends_with_client and task is not None:
            self._streaming = (calls, task)
            if not self._connected:  # it left before the call began
                asyncio.get_running_loop().call_soon(self._end_stream)
        try:
            yield
        finally:
            self._streaming = None
            self._handled -= 1
            self._finish()

    def disconnect(self) -> None:
        """Note that the connection has ended, with the answer or without."""
        self._connected = False
        self._end_stream()
        self._finish()

    def _end_stream(self) -> None:
        if self._streaming is not None:
            calls, task = self._streaming
            calls.end(task, CLIENT_LEFT)

    def _finish(self) -> None:
        if not self._connected and not self._handled:
            self._on_done()


def exchange_of(context: ServerRequestContext[Any, Any]) -> Exchange | None:
    """Return the exchange of a request; None for stdio, and for clients since 2026-07-28."""
    request = context.request
    found = None if request is None else request.scope.get(SCOPE_KEY)
    return found if isinstance(found, Exchange) else None
