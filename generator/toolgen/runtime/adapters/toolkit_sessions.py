"""Sessions of a toolkit by the application's own id of a conversation; the one idle longest makes room."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import NamedTuple
from weakref import WeakKeyDictionary

from toolgen.runtime.settings import Settings
from toolgen.runtime.toolkit import Toolkit


class _Session(NamedTuple):
    toolkit: Toolkit
    used: float  # when, in seconds of the monotonic clock


class Sessions:
    """At most `settings.sessions` sessions, each until it is idle for `settings.session_idle` seconds."""

    def __init__(self, settings: Settings) -> None:
        self._limit = settings.sessions
        self._idle = settings.session_idle
        self._sessions: dict[str, _Session] = {}  # the one idle longest first
        self._lock = Lock()

    def get(self, toolkit: Toolkit, session_id: str) -> Toolkit:
        """Return the session of `toolkit` with this id; a new one if there is none any more."""
        now = monotonic()
        with self._lock:
            while self._sessions:
                first = next(iter(self._sessions))
                if now - self._sessions[first].used < self._idle:
                    break
                del self._sessions[first]
            known = self._sessions.pop(session_id, None)
            while len(self._sessions) >= self._limit:
                del self._sessions[next(iter(self._sessions))]
            found = toolkit.session(session_id=session_id) if known is None else known.toolkit
            self._sessions[session_id] = _Session(found, now)
        return found


_SESSIONS: WeakKeyDictionary[Toolkit, Sessions] = WeakKeyDictionary()  # shared by all adapters
_LOCK = Lock()


def session_of(toolkit: Toolkit, session_id: str | None) -> Toolkit:
    """Return the session of `toolkit` with this id, made on first use; `toolkit` itself for None.

    Raises TypeError for an id that is not a str.
    """
    if session_id is None:
        return toolkit
    if not isinstance(session_id, str):
        raise TypeError(f"a session is the id of a conversation, a str, not {type(session_id).__name__}")
    with _LOCK:
        sessions = _SESSIONS.get(toolkit)
        if sessions is None:
            sessions = _SESSIONS[toolkit] = Sessions(toolkit.settings)
    return sessions.get(toolkit, session_id)
