"""Connections of the HTTP server: when there are too many, the one that was idle for longest makes room.

uvicorn's own limit would refuse new ones while old ones are idle.
"""

from __future__ import annotations

import asyncio
import sys
from time import monotonic
from typing import Any, Final

from toolgen.runtime.logs.logger import LOGGER

from .stopping import NOT_FOR_CHILDREN

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


class _LimitedConnection(asyncio.Protocol):
    """One connection. `limited` adds one of uvicorn's protocols for HTTP/1.1."""

    connection_limit: ConnectionLimit  # of the server; `connections` is an attribute of uvicorn's
    transport: Any
    cycle: Any  # the latest request

    _descriptor = -1

    def connection_made(self, transport: Any) -> None:
        self._descriptor = transport.get_extra_info("socket").fileno()
        NOT_FOR_CHILDREN.add(self._descriptor)
        has_room = self.connection_limit.make_room()
        super().connection_made(transport)
        if has_room:
            self.connection_limit.open[self] = None
        else:  # answered before any request, so that the client does not wait for a time-out
            self.transport.write(_REFUSAL)
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.connection_limit.open.pop(self, None)  # to the end: it is the one that was used last
        self.connection_limit.open[self] = None
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        NOT_FOR_CHILDREN.discard(self._descriptor)  # it is closed after this
        self.connection_limit.open.pop(self, None)
        super().connection_lost(exc)

    def has_request(self) -> bool:
        """True while a request is answered."""
        cycle = getattr(self, "cycle", None)
        return cycle is not None and not cycle.response_complete


def limited(protocol: type[Any], connections: ConnectionLimit) -> type[Any]:
    """Return uvicorn's protocol, whose connections `connections` counts."""
    return type("LimitedConnection", (_LimitedConnection, protocol), {"connection_limit": connections})
