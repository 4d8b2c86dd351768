"""Limit the number of HTTP sessions, which clients up to 2025-11-25 open."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Final, TypeAlias

from mcp.server.auth.middleware.bearer_auth import (
    AuthenticatedUser,
    AuthorizationContext,
    authorization_context,
)

from toolgen.runtime.instrumentation.conventions import MCP_SESSION_DURATION, SESSIONS, STREAMS
from toolgen.runtime.instrumentation.metrics import current_metrics, observe
from toolgen.runtime.logs.logger import LOGGER
from toolgen.serving.exchange import SCOPE_KEY, Exchange

from .body import INVALID_REQUEST, AsgiRequest, Message, Receive, RefusedError, Scope, Send
from .missed_events import MissedEvents, SessionEvents, events_of, send_events

SESSION_HEADER: Final = b"mcp-session-id"
_FORGOTTEN: Final = "The event of Last-Event-ID is no longer known; open a new session."
Endpoint: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(slots=True)
class HttpSession:
    """A session that a client has opened."""

    id: bytes
    scope: Scope  # of the request that opened it
    began: float = field(default_factory=monotonic)
    used: float = field(default_factory=monotonic)  # when the last request ended
    posts: int = 0  # running POST requests
    streams: int = 0  # open GET requests
    ids: set[str] = field(default_factory=set)  # of running JSON-RPC requests
    events: SessionEvents = field(default_factory=SessionEvents)


class HttpSessions:
    """The sessions of one server process, at most `limit`. A new one may end the least recently used one.

    The SDK owns the sessions and cannot list or end them. So they are counted by the headers of responses,
    and ended as by a client, with DELETE at `endpoint`.
    """

    def __init__(
        self, endpoint: Endpoint, limit: int, idle_seconds: float, events: MissedEvents | None = None
    ) -> None:
        """Prepare it. The SDK ends sessions that are idle for `idle_seconds`, without notice.

        `events` has what clients missed; None if they cannot reconnect.
        """
        self._endpoint = endpoint
        self._events = events
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._by_id: OrderedDict[bytes, HttpSession] = OrderedDict()  # the least recently used first
        self._opening = 0
        observe(SESSIONS, self, lambda sessions: {"": len(sessions)})
        observe(STREAMS, self, HttpSessions._count_streams)

    def __len__(self) -> int:
        """Return the number of sessions that have not ended; one may have ended idle."""
        since = monotonic() - self._idle_seconds
        sessions = list(self._by_id.values())
        return sum(bool(each.posts or each.streams or each.used > since) for each in sessions)

    def _count_streams(self) -> Mapping[str, float]:
        return {"": sum(each.streams for each in list(self._by_id.values()))}

    def end_all(self) -> None:
        """Record the end of all sessions, because the server stops."""
        for session_id in list(self._by_id):
            self._remove(session_id)

    def _remove(self, session_id: bytes) -> None:
        session = self._by_id.pop(session_id, None)
        metrics = current_metrics()
        if session is not None and metrics is not None:
            metrics.record(MCP_SESSION_DURATION, monotonic() - session.began, {})

    async def open(self, request: AsgiRequest) -> None:
        """Forward a request that opens a session.

        Raises RefusedError if the limit is reached and all sessions are in use.
        """
        while len(self._by_id) + self._opening >= self._limit:
            await self._make_room()
        # counted before it exists: requests that open sessions at once must not exceed the limit
        self._opening += 1
        opened: list[HttpSession] = []
        events = SessionEvents()

        def note_session(start: Message) -> None:
            for name, value in start["headers"] if start["status"] < 400 else ():
                if name == SESSION_HEADER and not opened:
                    opened.append(HttpSession(value, request.scope, posts=1, events=events))
                    events.bind(value, request.scope)
                    self._by_id[value] = opened[0]
                    self._opening -= 1

        try:
            with events_of(events):
                await self._forward(request, note_session)
        finally:
            if opened:
                opened[0].posts -= 1
            else:
                self._opening -= 1

    async def post(self, session_id: bytes, request_id: str | int | None, request: AsgiRequest) -> bool:
        """Forward a POST of a session. `request_id` is the id of the JSON-RPC request in it.

        Return False if a request with this id is still running, because one answer would be lost.
        """
        session = self._own(session_id, request.scope)
        # the SDK answers 404, by which clients know that they need a new session:
        # https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
        if session is None:
            await self._forward(request)
            return True
        call: Exchange | None = None
        if request_id is not None:
            key = str(request_id)  # the SDK does not distinguish 1 and "1"
            if key in session.ids:
                return False
            session.ids.add(key)
            call = Exchange(lambda: session.ids.discard(key))
            request.scope[SCOPE_KEY] = call
        session.posts += 1
        try:
            with events_of(session.events):
                await self._forward(request, partial(self._forget, session_id))
        finally:
            session.posts -= 1
            self._touch(session)
            if call is not None:
                call.disconnect()
        return True

    async def get(self, session_id: bytes, request: AsgiRequest) -> None:
        """Forward a GET, which stays open for notifications.

        Raises RefusedError if it continues after an event that is no longer known.
        """
        session = self._own(session_id, request.scope)
        if session is None:
            missed = [] if self._events is None else await self._events.missed(session_id, request.scope)
            if missed:
                await send_events(missed, session_id, request.send)
            else:
                await self._forward(request)
            return
        # the SDK would answer with an empty stream, as if nothing had been missed; by 404, clients know
        # that they need a new session, in which they read everything again
        if self._events is not None and not await self._events.knows(session_id, request.scope):
            raise RefusedError(404, INVALID_REQUEST, _FORGOTTEN)
        session.streams += 1
        self._touch(session)
        try:
            with events_of(session.events):
                await self._forward(request, partial(self._forget, session_id))
        finally:
            session.streams -= 1
            self._touch(session)

    async def delete(self, session_id: bytes, request: AsgiRequest) -> None:
        """Forward a DELETE of the client."""
        if self._own(session_id, request.scope) is None:
            await self._forward(request)
        else:
            await self._forward(request, partial(self._forget, session_id, is_deleted=True))

    def _own(self, session_id: bytes, scope: Scope) -> HttpSession | None:
        """Return a session if the principal of this request opened it; the SDK answers others with 404."""
        session = self._by_id.get(session_id)
        return None if session is None or _principal(scope) != _principal(session.scope) else session

    def _touch(self, session: HttpSession) -> None:
        session.used = monotonic()
        # it may have been ended while its request was answered
        if session.id in self._by_id:
            self._by_id.move_to_end(session.id)

    def _forget(self, session_id: bytes, start: Message, *, is_deleted: bool = False) -> None:
        """Forget a session if the SDK answers that it does not exist, or that it was deleted."""
        if start["status"] == 404 or (is_deleted and start["status"] < 400):
            self._remove(session_id)

    async def _forward(
        self, request: AsgiRequest, on_start: Callable[[Message], None] = lambda start: None
    ) -> None:
        """Let the SDK answer a request. `on_start` gets the message with status and headers."""

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                on_start(message)
            await request.send(message)

        await self._endpoint(request.scope, request.receive, send)

    async def _make_room(self) -> None:
        """End the least recently used idle session. Raises RefusedError if none is idle."""
        # without an open stream first: their clients may be gone
        idle = (each for each in self._by_id.values() if not each.posts and not each.streams)
        quiet = (each for each in self._by_id.values() if not each.posts)  # only waits for notifications
        session = next(idle, None) or next(quiet, None)
        if session is None:
            raise RefusedError(
                503, INVALID_REQUEST, "There are too many sessions; try again later.", retry_after="5"
            )
        self._remove(session.id)
        status = await self._end(session)
        # 404: the SDK has ended it before, after its own time limit
        if status >= 400 and status != 404:
            LOGGER.warning("an idle session could not be ended: HTTP %s", status)

    async def _end(self, session: HttpSession) -> int:
        scope = {
            **{key: session.scope[key] for key in _COPIED if key in session.scope},
            "method": "DELETE",
            "headers": [
                # those of its client: the SDK checks Host, Origin and the protocol version
                *(pair for pair in session.scope["headers"] if not pair[0].startswith(b"content-")),
                (SESSION_HEADER, session.id),
            ],
        }
        found: list[int] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            return None

        await self._forward(AsgiRequest(scope, receive, send), lambda start: found.append(start["status"]))
        return found[0] if found else 500


def _principal(scope: Scope) -> AuthorizationContext | None:
    user = scope.get("user")
    return authorization_context(user) if isinstance(user, AuthenticatedUser) else None


_COPIED: Final = (
    "type", "asgi", "http_version", "server", "client", "scheme", "root_path", "path", "raw_path",
    "query_string", "state", "user", "auth",
)  # fmt: skip
