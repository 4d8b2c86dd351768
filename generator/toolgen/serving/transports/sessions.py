"""Shares of the HTTP sessions that clients up to 2025-11-25 open.

The SDK opens sessions, ends idle ones, and refuses new ones at its limit. It does not report what it does, so
sessions are counted by the headers of requests and responses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Message, Scope, Send

from toolgen.runtime.instrumentation.telemetry import MCP_SESSION_DURATION, SESSIONS, current_metrics, observe
from toolgen.serving.server_state import SESSION_HEADER, hashed, session_ended

from .body import RefusedError
from .guard import owner_of

SHARE: Final = 2
"""One principal, or one address without authentication, has at most one in SHARE of the sessions: as one tool
has of the threads."""


@dataclass(slots=True)
class _Session:
    owner: tuple[str, str]
    began: float = field(default_factory=monotonic)
    used: float = field(default_factory=monotonic)  # when the last request ended
    requests: int = 0  # that are answered now


class Sessions:
    """The open sessions, by id. The SDK ends one that has had no request for `idle_seconds`."""

    def __init__(self, limit: int, idle_seconds: float) -> None:
        self._share = -(-limit // SHARE)
        self._idle_seconds = idle_seconds
        self._by_id: dict[str, _Session] = {}
        self._opening: list[tuple[str, str]] = []  # owners: requests at once must not exceed the share
        observe(SESSIONS, self, lambda sessions: {"": sessions._forget_idle()})

    def has(self, session_id: str, scope: Scope) -> bool:
        """True if the sender of a request has opened this session."""
        session = self._by_id.get(session_id)
        return session is not None and session.owner == owner_of(scope)

    @contextmanager
    def opening(self, scope: Scope) -> Iterator[None]:
        """Count a request that may open a session. Raises RefusedError if its sender has its share."""
        owner = owner_of(scope)
        self._forget_idle()
        open_now = [each.owner for each in list(self._by_id.values())]
        if (open_now + self._opening).count(owner) >= self._share:
            message = "This client has too many sessions; end one of them, or try again later."
            raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, message, retry_after="5")
        self._opening.append(owner)
        try:
            yield
        finally:
            self._opening.remove(owner)

    @contextmanager
    def using(self, session_id: str, scope: Scope) -> Iterator[None]:
        """Count a request of a session, which is not idle meanwhile."""
        session = self._by_id.get(session_id) if self.has(session_id, scope) else None
        if session is None:  # the SDK answers that it does not exist
            yield
            return
        session.requests += 1
        try:
            yield
        finally:
            session.requests -= 1
            session.used = monotonic()

    def watching(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that notes which session a response begins or ends."""
        asked, is_delete = Headers(scope=scope).get(SESSION_HEADER), scope["method"] == "DELETE"

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = Headers(raw=message["headers"]).get(SESSION_HEADER)
                succeeded = message["status"] < HTTPStatus.BAD_REQUEST
                if asked is None and named is not None and succeeded:
                    self._by_id[named] = _Session(owner_of(scope))
                ended = message["status"] == HTTPStatus.NOT_FOUND or (is_delete and succeeded)
                if ended and asked is not None and self.has(asked, scope):
                    self._remove(asked)
            await send(message)

        return watch

    def end_all(self) -> None:
        """Record the end of all sessions, because the server stops."""
        for session_id in list(self._by_id):
            self._remove(session_id)

    def _remove(self, session_id: str) -> None:
        session = self._by_id.pop(session_id)
        session_ended(hashed(session_id))
        if (metrics := current_metrics()) is not None:
            metrics.record(MCP_SESSION_DURATION, monotonic() - session.began, {})

    def _forget_idle(self) -> int:
        """Forget the sessions that the SDK has ended. Return the number of the others."""
        since = monotonic() - self._idle_seconds
        for session_id, each in list(self._by_id.items()):
            if not each.requests and each.used < since:
                self._remove(session_id)
        return len(self._by_id)
