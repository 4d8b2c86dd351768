"""Logs of events that clients may have missed: in memory, in SQLite or in Redis. Each log expires."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections import OrderedDict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from .opening import StoreError, open_store, redis_client, sqlite_connection

MEMORY_BYTES: Final = 64 * 1024 * 1024  # of all logs; the oldest one goes first


class EventLogs(Protocol):
    """Events by the name of their log, numbered from 1. Safe to use from several threads."""

    blocking: bool  # whether methods wait for a disk or a network

    def append(self, name: str, event: bytes, seconds: float) -> int:
        """Add an event and return its number. The log is kept for `seconds` from now. Raises StoreError."""
        ...

    def after(self, name: str, number: int) -> list[bytes]:
        """Return the events after one. Raises StoreError."""
        ...


@dataclass(slots=True)
class _Log:
    events: list[bytes] = field(default_factory=list)
    size: int = 0
    expires_at: float = 0.0


class MemoryLogs:
    """For one process."""

    blocking = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._logs: OrderedDict[str, _Log] = OrderedDict()  # the one that was written last at the end
        self._size = 0

    def append(self, name: str, event: bytes, seconds: float) -> int:
        with self._lock:
            log = self._logs.setdefault(name, _Log())
            self._logs.move_to_end(name)
            log.events.append(event)
            log.size += len(event)
            self._size += len(event)
            log.expires_at = time.monotonic() + seconds
            while len(self._logs) > 1 and self._has_old_log():
                self._size -= self._logs.popitem(last=False)[1].size
            return len(log.events)

    def _has_old_log(self) -> bool:
        first = next(iter(self._logs.values()))
        return self._size > MEMORY_BYTES or first.expires_at < time.monotonic()

    def after(self, name: str, number: int) -> list[bytes]:
        with self._lock:
            log = self._logs.get(name)
            return [] if log is None or log.expires_at < time.monotonic() else log.events[number:]


class SqliteLogs:
    """For several processes on one machine."""

    blocking = True

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(sqlite_connection(path)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS events (log TEXT NOT NULL, number INTEGER NOT NULL, "
                "event BLOB NOT NULL, expires_at REAL NOT NULL, PRIMARY KEY (log, number))"
            )
            db.execute("CREATE INDEX IF NOT EXISTS events_expire ON events (expires_at)")

    def append(self, name: str, event: bytes, seconds: float) -> int:
        now = time.time()
        try:
            with closing(sqlite_connection(self._path)) as db:
                db.execute("BEGIN IMMEDIATE")
                db.execute("DELETE FROM events WHERE expires_at < ?", (now,))
                query = "SELECT coalesce(max(number), 0) + 1 FROM events WHERE log = ?"
                (number,) = db.execute(query, (name,)).fetchone()
                db.execute("INSERT INTO events VALUES (?, ?, ?, ?)", (name, number, event, now + seconds))
                db.execute("UPDATE events SET expires_at = ? WHERE log = ?", (now + seconds, name))
                db.execute("COMMIT")
                return int(number)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error

    def after(self, name: str, number: int) -> list[bytes]:
        query = "SELECT event FROM events WHERE log = ? AND number > ? AND expires_at >= ? ORDER BY number"
        try:
            with closing(sqlite_connection(self._path)) as db:
                return [row[0] for row in db.execute(query, (name, number, time.time()))]
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error


class RedisLogs:
    """For several machines: a list for each log. Raises as `redis_client` does."""

    blocking = True
    prefix = "toolgen:events:"

    def __init__(self, url: str) -> None:
        import redis

        self._failure: type[Exception] = redis.RedisError
        self._client: Any = redis_client(url)

    def append(self, name: str, event: bytes, seconds: float) -> int:
        try:
            with self._client.pipeline(transaction=True) as pipeline:
                pipeline.rpush(self.prefix + name, event)
                pipeline.expire(self.prefix + name, math.ceil(seconds))
                return int(pipeline.execute()[0])
        except self._failure as error:
            raise StoreError(f"Redis: {error}") from error

    def after(self, name: str, number: int) -> list[bytes]:
        try:
            found: list[bytes] = self._client.lrange(self.prefix + name, number, -1)
        except self._failure as error:
            raise StoreError(f"Redis: {error}") from error
        return found


def open_event_logs(text: str) -> EventLogs:
    """Return the logs that TOOLGEN_EVENT_STORE names. Raises SettingError if they cannot be used."""
    found: EventLogs = open_store("event_store", text, memory=MemoryLogs, sqlite=SqliteLogs, redis=RedisLogs)
    return found
