"""Logs of events that clients may have missed: limited, and kept for a time."""

from __future__ import annotations

from typing import Final

from .backends import Entry, Store
from .opening import open_store

LOG_EVENTS: Final = 1_000  # of one log; the oldest ones go first
LOG_BYTES: Final = 8 * 1024 * 1024  # of one log


class EventLogs:
    """Events by the name of their log, numbered one by one. Safe to use from several threads.

    A log is one value: the number of its first event, and a line for each event. One without events begins
    with a number from the clock: a number never means two events.
    """

    def __init__(self, store: Store) -> None:
        self.blocking = store.blocking
        self._store = store

    def append(self, name: str, event: bytes, seconds: float) -> int:
        """Add an event, one line, and return its number. The log is kept for `seconds` from now.

        Raises StoreError.
        """
        number = 0

        def add(value: bytes | None, now: float, _: float) -> Entry:
            nonlocal number
            # nobody appends more than one event in a microsecond
            head, *events = [b"%d" % (now * 1e6)] if value is None else value.split(b"\n")
            first = int(head)
            number = first + len(events)
            events.append(event)
            while len(events) > LOG_EVENTS or sum(map(len, events)) > LOG_BYTES:
                events.pop(0)
                first += 1
            return Entry(b"\n".join((b"%d" % first, *events)), now + seconds)

        self._store.apply(f"events:{name}", add)
        return number

    def since(self, name: str, number: int) -> list[bytes]:
        """Return an event and those after it; empty if it is not (or no longer) known. Raises StoreError."""
        found: list[bytes] = []

        def read(value: bytes | None, _: float, __: float) -> None:
            nonlocal found
            head, *events = (value or b"0").split(b"\n")
            found = events[number - int(head) :] if number >= int(head) else []

        self._store.apply(f"events:{name}", read)
        return found


def open_event_logs(text: str) -> EventLogs:
    """Return the logs that TOOLGEN_EVENT_STORE names. Raises SettingError if they cannot be used."""
    return EventLogs(open_store("event_store", text))
