"""Sessions of clients up to 2025-11-25 over HTTP: how many there are, and which one makes room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mcp.server.auth.middleware.bearer_auth import (
    AuthenticatedUser,
    AuthorizationContext,
    authorization_context,
)

from toolgen.runtime.adapters.mcp.exchange import SCOPE_KEY, Exchange
from toolgen.runtime.logs.logger import LOGGER

from .body import INVALID_REQUEST, Message, Receive, RefusedError, Scope, Send

SESSION_HEADER: Final = b"mcp-session-id"
Endpoint: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(slots=True)
class Session:
    """A session that a client has opened."""

    id: bytes
    scope: Scope  # of the request that opened it
    posts: int = 0  # that are being answered
    streams: int = 0  # GET requests that are open
    ids: set[str] = field(default_factory=set)  # of requests that are running


class Sessions:
    """The sessions of one server process, at most `limit`; the one idle longest makes room for a new one.

    The SDK owns the sessions and has no way to list or end them: they are counted by the headers that go
    by, and ended as a client ends them, with DELETE at `endpoint`.
    """

    def __init__(self, endpoint: Endpoint, limit: int) -> None:
        self._endpoint = endpoint
        self._limit = limit
        self._by_id: OrderedDict[bytes, Session] = OrderedDict()  # the one idle longest comes first
        self._opening = 0

    def __len__(self) -> int:
        return len(self._by_id)

    async def open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that opens a session.

        Raises RefusedError if there are as many as there may be, and all are in use.
        """
        while len(self._by_id) + self._opening >= self._limit:
            await self._make_room()
        self._opening += 1
        opened: list[Session] = []

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                for name, value in message["headers"]:
                    if name == SESSION_HEADER and not opened:
                        opened.append(Session(value, scope, posts=1))
                        self._by_id[value] = opened[0]
                        self._opening -= 1
            await send(message)

        try:
            await self._endpoint(scope, receive, watch)
        finally:
            if opened:
                opened[0].posts -= 1
            else:
                self._opening -= 1

    async def post(
        self, session_id: bytes, number: str | int | None, scope: Scope, receive: Receive, send: Send
    ) -> bool:
        """Pass on a POST of a session, `number` being the id of the request in it.

        Returns False if its id is that of a request which is still running: one answer would be lost.
        """
        session = self._own(session_id, scope)
        if session is None:
            await self._endpoint(scope, receive, send)
            return True
        exchange: Exchange | None = None
        if number is not None:
            key = str(number)  # the SDK takes 1 and "1" for the same
            if key in session.ids:
                return False
            session.ids.add(key)
            exchange = Exchange(lambda: session.ids.discard(key))
            scope[SCOPE_KEY] = exchange
        session.posts += 1
        try:
            await self._endpoint(scope, receive, self._forgetting(session_id, send))
        finally:
            session.posts -= 1
            self._touch(session)
            if exchange is not None:
                exchange.disconnect()
        return True

    async def get(self, session_id: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a GET, which stays open for notifications."""
        session = self._own(session_id, scope)
        if session is None:
            await self._endpoint(scope, receive, send)
            return
        session.streams += 1
        self._touch(session)
        try:
            await self._endpoint(scope, receive, self._forgetting(session_id, send))
        finally:
            session.streams -= 1
            self._touch(session)

    async def delete(self, session_id: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a DELETE of the client."""
        if self._own(session_id, scope) is None:
            await self._endpoint(scope, receive, send)
            return
        status: list[int] = []

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            await send(message)

        await self._endpoint(scope, receive, watch)
        if status and (status[0] < 400 or status[0] == 404):
            self._by_id.pop(session_id, None)

    def _own(self, session_id: bytes, scope: Scope) -> Session | None:
        """Return a session that the principal of this request has opened; the SDK answers others with 404."""
        session = self._by_id.get(session_id)
        return None if session is None or _principal(scope) != _principal(session.scope) else session

    def _touch(self, session: Session) -> None:
        if session.id in self._by_id:
            self._by_id.move_to_end(session.id)

    def _forgetting(self, session_id: bytes, send: Send) -> Send:
        """Return a `send` that forgets the session when the SDK does not know it any more."""

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 404:
                self._by_id.pop(session_id, None)
            await send(message)

        return watch

    async def _make_room(self) -> None:
        """End the session that is idle longest. Raises RefusedError if none is idle."""
        idle = (each for each in self._by_id.values() if not each.posts and not each.streams)
        quiet = (each for each in self._by_id.values() if not each.posts)  # only waits for notifications
        session = next(idle, None) or next(quiet, None)
        if session is None:
            raise RefusedError(
                503, INVALID_REQUEST, "There are too many sessions; try again later.", retry_after="5"
            )
        del self._by_id[session.id]
        status = await self._end(session)
        if status >= 400 and status != 404:
            LOGGER.warning("an idle session could not be ended: HTTP %s", status)

    async def _end(self, session: Session) -> int:
        scope = {
            **{key: session.scope[key] for key in _COPIED if key in session.scope},
            "method": "DELETE",
            "headers": [
                *(pair for pair in session.scope["headers"] if not pair[0].startswith(b"content-")),
                (SESSION_HEADER, session.id),
            ],
        }
        found: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])

        await self._endpoint(scope, receive, send)
        return found[0] if found else 500


def _principal(scope: Scope) -> AuthorizationContext | None:
    user = scope.get("user")
    return authorization_context(user) if isinstance(user, AuthenticatedUser) else None


_COPIED: Final = (
    "type", "asgi", "http_version", "server", "client", "scheme", "root_path", "path", "raw_path",
    "query_string", "state", "user", "auth",
)  # fmt: skip
