"""A client of an MCP server over HTTP, of either era, that knows whether a request was sent."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from tests.end_to_end.raw_http import Connection


class SentError(Exception):
    """The connection ended after the request was sent."""


class RefusedError(Exception):
    """The request was not executed."""


class HttpClient:
    """One client with one connection, and a session if it is of the older era."""

    def __init__(self, url: str, era: str) -> None:
        self.url, self.era = url, era
        self.connection: Connection | None = None
        self.session: dict[str, str] = {}  # its headers
        self.last_id = 0  # an id is used once in a session

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the JSON-RPC message that answers. Raises RefusedError or SentError.

        A client of the older era opens a session first, if it has none.
        """
        if self.era == "legacy" and not self.session:
            await self._open_session()
        self.last_id += 1
        try:
            answer = await (await self._connected()).ask(method, params, self.last_id)
        except (OSError, EOFError, ValueError) as error:
            raise SentError(type(error).__name__) from None
        if answer.headers.get("connection") == "close":
            self.close()
        if answer.status == 503:
            raise RefusedError("503")
        if answer.status == 404 and self.session:
            self.session = {}
            self.close()
            raise RefusedError("the session is gone")
        if answer.status in (502, 504):
            raise SentError(str(answer.status))
        return answer.message

    def close(self) -> None:
        """Close the connection; a session stays open."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    async def _connected(self) -> Connection:
        if self.connection is None:
            parts = urlsplit(self.url)
            streams = await asyncio.open_connection(parts.hostname, parts.port)
            self.connection = Connection(self.url, *streams, dict(self.session))
        return self.connection

    async def _open_session(self) -> None:
        try:
            connection = await self._connected()
            await connection.initialize()
            self.session = dict(connection.headers)
        except (OSError, EOFError, ValueError, AssertionError) as error:  # to open one twice does no harm
            self.close()
            raise RefusedError(f"no session ({type(error).__name__})") from None
