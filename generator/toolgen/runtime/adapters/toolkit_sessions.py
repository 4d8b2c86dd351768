"""Sessions of toolkits, by the application's ids of conversations. Sessions that are not used are dropped."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import NamedTuple
from weakref import WeakKeyDictionary

from toolgen.runtime.settings import Settings
from toolgen.runtime.toolkit import Toolkit


class _ToolkitSession(NamedTuple):
    toolkit: Toolkit
    used: float  # monotonic time, in seconds


class ToolkitSessions:
    """At most `settings.sessions` sessions, each until it is not used for `settings.session_idle` seconds."""

    def __init__(self, settings: Settings) -> None:
        self._limit = settings.sessions
        self._idle = settings.session_idle
        self._sessions: dict[str, _ToolkitSession] = {}  # the least recently used first
        self._lock = Lock()

    def get(self, toolkit: Toolkit, session_id: str) -> Toolkit:
        """Return the session of `toolkit` with this id; a new one if there is none."""
        now = monotonic()
        with self._lock:
            # they are in the order of their last use: the first that is not idle ends the search
            while self._sessions:
                first = next(iter(self._sessions))
                if now - self._sessions[first].used < self._idle:
                    break
                del self._sessions[first]
            known = self._sessions.pop(session_id, None)
            # a new conversation ends the least recently used one: its extras are lost, and memory is bounded
            while len(self._sessions) >= self._limit:
                del self._sessions[next(iter(self._sessions))]
            found = toolkit.session(session_id=session_id) if known is None else known.toolkit
            self._sessions[session_id] = _ToolkitSession(found, now)
        return found


_SESSIONS: WeakKeyDictionary[Toolkit, ToolkitSessions] = WeakKeyDictionary()  # of all adapters
_LOCK = Lock()


def session_of(toolkit: Toolkit, session_id: str | None) -> Toolkit:
    """Return the session of `toolkit` with this id, created on first use; `toolkit` itself for None.

    Raises TypeError for an id that is not a str.
    """
    if session_id is None:
        return toolkit
    if not isinstance(session_id, str):
        raise TypeError(f"a session is the id of a conversation, a str, not {type(session_id).__name__}")
    with _LOCK:
        sessions = _SESSIONS.get(toolkit)
        if sessions is None:
            sessions = _SESSIONS[toolkit] = ToolkitSessions(toolkit.settings)
    return sessions.get(toolkit, session_id)
