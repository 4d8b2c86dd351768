"""Events that a client up to 2025-11-25 has missed: it reconnects, and gets the result of its call.

The SDK stores each message of a stream before it sends it, and sends what came after `Last-Event-ID` when the
client reconnects: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
With a store that replicas share, another replica sends it, too, if the one with the session has died.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import Settings
from toolgen.runtime.stores.event_logs import LOG_BYTES, EventLogs, open_event_logs
from toolgen.runtime.stores.opening import StoreError, ask
from toolgen.serving.auth.grant import principal_of

from .body import Scope, Send

PAUSE_SECONDS: Final = 5.0  # without the store, after it has failed: no call waits for it again and again
LAST_EVENT_ID: Final = b"last-event-id"
_PART: Final = "event store"
_EVENT_ID: Final = re.compile(r"([0-9a-f]{64})\.(\d{1,16})")


@dataclass(slots=True)
class SessionEvents:
    """Whose streams the events are of: `binding_of` a session, or empty until the SDK has made its id."""

    binding: str = ""


_SESSION: ContextVar[SessionEvents | None] = ContextVar("toolgen_session_events", default=None)


@contextmanager
def events_of(session: SessionEvents) -> Iterator[None]:
    """Store and replay events of a session in a `with` block, and in the tasks that begin in it."""
    token = _SESSION.set(session)
    try:
        yield
    finally:
        _SESSION.reset(token)


class MissedEvents(EventStore):
    """The event store of the SDK. If it fails, calls go on, and their clients cannot reconnect."""

    def __init__(self, logs: EventLogs, seconds: float) -> None:
        """Keep the events of a stream for `seconds` after the last one."""
        self._logs, self._seconds = logs, seconds
        self._away_until = 0.0

    @classmethod
    def from_settings(cls, settings: Settings) -> MissedEvents | None:
        """Return the store that is configured; None without one. Raises SettingError."""
        if settings.event_store is None:
            return None
        return cls(open_event_logs(settings.event_store), settings.session_idle)

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        """Store a message, and return its id; an empty one if it could not be stored."""
        session = _SESSION.get()
        if session is None or not session.binding or monotonic() < self._away_until:
            return ""
        sent = None if message is None else message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        event = json.dumps([stream_id, sent]).encode()
        if len(event) > LOG_BYTES:
            event = json.dumps([stream_id, None, True]).encode()
        stream = _digest(session.binding, stream_id)
        name = _digest(stream, session.binding)
        try:
            number = await ask(self._logs, lambda: self._logs.append(name, event, self._seconds), part=_PART)
        except StoreError:
            self._away_until = monotonic() + PAUSE_SECONDS
            return ""
        return f"{stream}.{number}"

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send the messages after an event. Return their stream; None if it is unknown or has ended."""
        session = _SESSION.get()
        found = [] if session is None else await self._from(last_event_id, session.binding) or []
        for event in found[1:]:
            if event.message is not None:
                message = types.jsonrpc_message_adapter.validate_python(event.message, by_name=False)
                await send_callback(EventMessage(message, event.id))
        if not found or any(event.is_answer for event in found):
            return None
        return found[0].stream_id  # whose further messages the SDK sends

    async def missed(self, session_id: bytes, scope: Scope) -> list[_Event]:
        """Return what the client of another process's session has missed; empty if that is not known."""
        found = (await self._from(_last_event_id(scope), binding_of(session_id, scope)) or [])[1:]
        # without the answer, this process will never have it
        return found if any(event.is_answer for event in found) else []

    async def knows(self, session_id: bytes, scope: Scope) -> bool:
        """False if the client has missed messages that are no longer kept, so that it must begin again."""
        event_id = _last_event_id(scope)
        return not event_id or await self._from(event_id, binding_of(session_id, scope)) != []

    async def _from(self, event_id: str, binding: str) -> list[_Event] | None:
        """Return an event and those after it; empty if one is unknown, None if the store does not answer."""
        parsed = _EVENT_ID.fullmatch(event_id)
        if parsed is None:
            return []
        stream, number = parsed[1], int(parsed[2])
        name = _digest(stream, binding)
        try:
            events = await ask(self._logs, lambda: self._logs.since(name, number), part=_PART)
        except StoreError as error:
            LOGGER.warning("a client could not get what it has missed: %s", error)
            return None
        found = [_Event(f"{stream}.{each}", *json.loads(event)) for each, event in enumerate(events, number)]
        return [] if any(event.is_lost for event in found) else found


@dataclass(frozen=True, slots=True)
class _Event:
    id: str
    stream_id: str
    message: dict[str, Any] | None  # None: the client only learns the id
    is_lost: bool = False  # the message was too large to be kept

    @property
    def is_answer(self) -> bool:
        return self.message is not None and ("result" in self.message or "error" in self.message)


async def send_events(events: list[_Event], session_id: bytes, send: Send) -> None:
    """Answer a GET with a stream of events, and end it."""
    headers = [
        (b"content-type", b"text/event-stream"),
        (b"cache-control", b"no-cache, no-transform"),
        (b"mcp-session-id", session_id),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    text = "".join(
        f"event: message\r\nid: {event.id}\r\ndata: {json.dumps(event.message)}\r\n\r\n"
        for event in events
        if event.message is not None
    )
    await send({"type": "http.response.body", "body": text.encode(), "more_body": False})


def _last_event_id(scope: Scope) -> str:
    found: bytes = next((value for name, value in scope["headers"] if name == LAST_EVENT_ID), b"")
    return found.decode("latin-1")


def binding_of(session_id: bytes, scope: Scope) -> str:
    """Return what binds events to a session and its principal."""
    user = scope.get("user")
    principal = principal_of(user.access_token) if isinstance(user, AuthenticatedUser) else None
    return _digest(session_id.decode("latin-1"), json.dumps(principal))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
