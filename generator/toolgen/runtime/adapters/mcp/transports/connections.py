"""Connections of the HTTP server: how many there are, and how long a client may take to send and to read.

uvicorn limits neither the time of headers, nor the time in which a client reads an answer, nor connections.
"""

from __future__ import annotations

import asyncio
import sys
from time import monotonic
from typing import Any, Final

from toolgen.runtime.logs.logger import LOGGER

from .body import START_SECONDS
from .stopping import NOT_FOR_CHILDREN

READ_SECONDS: Final = 30.0
"""A client that reads less than LEAST_READ bytes of a waiting answer in this time is dropped."""
LEAST_READ: Final = 30 * 1024
UNREAD_BYTES: Final = 256 * 1024 * 1024
"""Answers that wait to be read, of all clients. Beyond it, the client that has waited longest is dropped."""

_RESERVE: Final = 1 / 8  # of the descriptors: for files, databases and connections of tools
_LEAST_RESERVE: Final = 32
# Of the event loop, from accepting a connection until a closed one has freed its descriptor.
_TURNS: Final = 8
_UNLIMITED: Final = 65_536  # where the system has no limit
_RECORD_SECONDS: Final = 10.0  # between two records

_REFUSAL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
)


class ConnectionLimit:
    """The open connections of a server, and how many there may be."""

    def __init__(self) -> None:
        self.most, reserve = max_connections()
        self.at_once = max(1, reserve // _TURNS)  # accepted in one turn of the event loop
        self.open: dict[_LimitedConnection, None] = {}  # the one that was used last at the end
        self.unread: dict[_LimitedConnection, int] = {}  # their clients do not read → bytes that wait
        self._next_record = 0.0

    def make_room(self) -> bool:
        """Close the longest idle connection if there are too many; False if all are in use."""
        if len(self.open) < self.most:
            return True
        # the dict has the connection that was used last at its end
        idle = next((each for each in self.open if not each.has_request()), None)
        if monotonic() >= self._next_record:
            self._next_record = monotonic() + _RECORD_SECONDS
            LOGGER.warning(
                "all %d connections are in use (RLIMIT_NOFILE, less a reserve for tools): %s",
                self.most,
                "new ones are refused" if idle is None else "idle ones are closed",
            )
        if idle is None:
            return False
        del self.open[idle]
        idle.transport.close()
        return True

    def drop_beyond_limit(self) -> None:
        """Drop the clients that have not read for longest while all answers together are too large."""
        while self.unread and sum(self.unread.values()) > UNREAD_BYTES:
            # clients that have waited longest come first: a dict keeps the order of insertion
            next(iter(self.unread)).drop("too much waits to be read by all clients")


def max_connections() -> tuple[int, int]:
    """Return how many connections the process may have, and how many descriptors it keeps beside them."""
    unlimited = _UNLIMITED, int(_UNLIMITED * _RESERVE)
    if sys.platform == "win32":
        return unlimited
    import resource

    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if descriptors == resource.RLIM_INFINITY:
        return unlimited
    reserve = max(_LEAST_RESERVE, int(descriptors * _RESERVE))
    return max(1, descriptors - reserve), reserve


class JoinedWrites:
    """A transport that sends the head of a response and its body together, in one packet.

    uvicorn writes them one after the other, which takes two system calls and two packets for each answer.
    Written data is held until the next write, or until the end of this turn of the event loop.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._held = b""
        self._loop = asyncio.get_running_loop()
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send `data` with the held data, or hold it if there is none."""
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held + data)
        elif data:
            self._held = data
            self._loop.call_soon(self._send_held)

    def close(self) -> None:
        """Send the held data, and close."""
        self._send_held()
        self._transport.close()

    def _send_held(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)


class _LimitedConnection(asyncio.Protocol):
    """One connection, with limits of time. `limited` adds one of uvicorn's protocols for HTTP/1.1."""

    connection_limit: ConnectionLimit  # of the server; `connections` is an attribute of uvicorn's
    transport: Any
    client: tuple[str, int] | None
    cycle: Any  # the latest request

    _late: asyncio.TimerHandle | None = None  # runs while headers are expected
    _unread: asyncio.TimerHandle | None = None  # runs while the client has to read
    _descriptor = -1

    def connection_made(self, transport: Any) -> None:
        self._descriptor = transport.get_extra_info("socket").fileno()
        NOT_FOR_CHILDREN.add(self._descriptor)
        has_room = self.connection_limit.make_room()
        joined: Any = JoinedWrites(transport)
        super().connection_made(joined)
        if has_room:
            self.connection_limit.open[self] = None
            self._expect_headers()
        else:  # answered before any request, so that the client does not wait for a time-out
            self.transport.write(_REFUSAL)
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.connection_limit.open.pop(self, None)  # to the end: it is the one that was used last
        self.connection_limit.open[self] = None
        super().data_received(data)
        if self.has_request():
            if self._late is not None:
                self._late.cancel()
                self._late = None
        elif self._late is None:  # the first part of a request; more parts do not prolong the time
            self._expect_headers()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.connection_limit.unread[self] = self.transport.get_write_buffer_size()
        self._unread = asyncio.get_running_loop().call_later(READ_SECONDS, self._drop_if_unread)
        self.connection_limit.drop_beyond_limit()

    def resume_writing(self) -> None:
        self._end_reading()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        NOT_FOR_CHILDREN.discard(self._descriptor)  # it is closed after this
        self.connection_limit.open.pop(self, None)
        self._end_reading()
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def has_request(self) -> bool:
        """True while a request is answered."""
        cycle = getattr(self, "cycle", None)
        return cycle is not None and not cycle.response_complete

    def drop(self, reason: str) -> None:
        """Close the connection, and forget what waits to be read."""
        LOGGER.warning(
            "connection of %s closed: %s; %d bytes are lost",
            "an unknown client" if self.client is None else self.client[0],
            reason,
            self.transport.get_write_buffer_size(),
        )
        self._end_reading()
        self.transport.abort()  # `close` would wait until everything is read

    def _end_reading(self) -> None:
        self.connection_limit.unread.pop(self, None)
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _drop_if_unread(self) -> None:
        size = self.transport.get_write_buffer_size()
        # a client that reads slowly, but reads, is not dropped
        if self.connection_limit.unread[self] - size < LEAST_READ:
            self.drop(f"its client has read too little in {READ_SECONDS:g} seconds")
            return
        self.connection_limit.unread[self] = size
        self._unread = asyncio.get_running_loop().call_later(READ_SECONDS, self._drop_if_unread)

    def _expect_headers(self) -> None:
        self._late = asyncio.get_running_loop().call_later(START_SECONDS, self._close_if_late)

    def _close_if_late(self) -> None:
        self._late = None
        if not self.has_request():
            self.transport.close()


def limited(protocol: type[Any], connections: ConnectionLimit) -> type[Any]:
    """Return uvicorn's protocol with limits of time, for `connections`."""
    return type("LimitedConnection", (_LimitedConnection, protocol), {"connection_limit": connections})
