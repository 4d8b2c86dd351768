"""Logs of events that clients may have missed: in memory, in SQLite or in Redis, limited and for a time."""

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

LOG_EVENTS: Final = 1_000  # of one log; the oldest ones go first
LOG_BYTES: Final = 8 * 1024 * 1024  # of one log
MEMORY_BYTES: Final = 64 * 1024 * 1024  # of all logs in memory; the one that is quiet for longest goes first
_OVERHEAD: Final = 512  # bytes of an event in memory, beside its text


class EventLogs(Protocol):
    """Events by the name of their log, numbered one by one. Safe to use from several threads.

    A log without events begins with a number from the clock: a number never means two events.
    """

    blocking: bool  # whether methods wait for a disk or a network

    def append(self, name: str, event: bytes, seconds: float) -> int:
        """Add an event and return its number. The log is kept for `seconds` from now. Raises StoreError."""
        ...

    def since(self, name: str, number: int) -> list[bytes]:
        """Return an event and those after it; empty if it is not (or no longer) known. Raises StoreError."""
        ...


def _first_number() -> int:
    return time.time_ns() // 1000  # exact in Lua; nobody appends more than one event in a microsecond


@dataclass(slots=True)
class _Log:
    events: list[bytes] = field(default_factory=list)
    first: int = field(default_factory=_first_number)  # the number of the first event
    size: int = 0
    expires_at: float = 0.0


class MemoryLogs:
    """For one process."""

    blocking = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._logs: OrderedDict[str, _Log] = OrderedDict()  # the one that was written last at the end
        self._size = 0  # with the overhead

    def append(self, name: str, event: bytes, seconds: float) -> int:
        with self._lock:
            self._forget_old_logs()
            log = self._logs.setdefault(name, _Log())
            self._logs.move_to_end(name)
            log.expires_at = time.monotonic() + seconds
            number = log.first + len(log.events)
            log.events.append(event)
            self._grow(log, len(event), 1)
            while len(log.events) > LOG_EVENTS or log.size > LOG_BYTES:
                self._grow(log, -len(log.events.pop(0)), -1)
                log.first += 1
            self._forget_old_logs()
            return number

    def _grow(self, log: _Log, size: int, count: int) -> None:
        log.size += size
        self._size += size + count * _OVERHEAD

    def _forget_old_logs(self) -> None:
        while self._logs:
            log = next(iter(self._logs.values()))
            if self._size <= MEMORY_BYTES and log.expires_at >= time.monotonic():
                return
            self._logs.popitem(last=False)
            self._size -= log.size + len(log.events) * _OVERHEAD

    def since(self, name: str, number: int) -> list[bytes]:
        with self._lock:
            log = self._logs.get(name)
            if log is None or number < log.first or log.expires_at < time.monotonic():
                return []
            return log.events[number - log.first :]


TRIM: Final = "DELETE FROM logged_events WHERE log = ? AND number <= ? OR log = ? AND begins < ?"


class SqliteLogs:
    """For several processes on one machine: a row for each log, with its last number, and for each event.

    A log is thought of as one text: an event `begins` at a byte of it, and the log `ends` at one.
    """

    blocking = True

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(sqlite_connection(path)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS event_logs (name TEXT PRIMARY KEY, number INTEGER NOT NULL, "
                "ends INTEGER NOT NULL, expires_at REAL NOT NULL)"
            )
            db.execute("CREATE INDEX IF NOT EXISTS event_logs_expire ON event_logs (expires_at)")
            db.execute(
                "CREATE TABLE IF NOT EXISTS logged_events (log TEXT NOT NULL, number INTEGER NOT NULL, "
                "begins INTEGER NOT NULL, event BLOB NOT NULL, PRIMARY KEY (log, number))"
            )
            db.execute("CREATE INDEX IF NOT EXISTS logged_events_begin ON logged_events (log, begins)")

    def append(self, name: str, event: bytes, seconds: float) -> int:
        now = time.time()
        old = "SELECT name FROM event_logs WHERE expires_at < ?"
        try:
            with closing(sqlite_connection(self._path)) as db:
                db.execute("BEGIN IMMEDIATE")
                db.execute(f"DELETE FROM logged_events WHERE log IN ({old})", (now,))
                db.execute("DELETE FROM event_logs WHERE expires_at < ?", (now,))
                query = "SELECT number + 1, ends FROM event_logs WHERE name = ?"
                number, begins = db.execute(query, (name,)).fetchone() or (_first_number(), 0)
                ends = begins + len(event)
                row = (name, number, ends, now + seconds)
                db.execute("INSERT OR REPLACE INTO event_logs VALUES (?, ?, ?, ?)", row)
                db.execute("INSERT INTO logged_events VALUES (?, ?, ?, ?)", (name, number, begins, event))
                db.execute(TRIM, (name, number - LOG_EVENTS, name, ends - LOG_BYTES))
                db.execute("COMMIT")
                return int(number)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error

    def since(self, name: str, number: int) -> list[bytes]:
        query = (
            "SELECT event, logged_events.number FROM logged_events JOIN event_logs ON name = log "
            "WHERE log = ? AND logged_events.number >= ? AND expires_at >= ? ORDER BY logged_events.number"
        )
        try:
            with closing(sqlite_connection(self._path)) as db:
                rows = db.execute(query, (name, number, time.time())).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error
        return [event for event, _ in rows] if rows and rows[0][1] == number else []


_APPEND: Final = """
if redis.call('EXISTS', KEYS[2]) == 0 then
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[2], 'number', ARGV[3], 'size', 0)
end
local number = redis.call('HINCRBY', KEYS[2], 'number', 1)
local size = redis.call('HINCRBY', KEYS[2], 'size', #ARGV[1])
local count = redis.call('RPUSH', KEYS[1], ARGV[1])
if count == 1 then -- also if Redis has evicted the list
    size = #ARGV[1]
end
while count > tonumber(ARGV[4]) or size > tonumber(ARGV[5]) do
    size = size - #redis.call('LPOP', KEYS[1])
    count = count - 1
end
redis.call('HSET', KEYS[2], 'size', size)
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return number
"""
_SINCE: Final = """
local last = redis.call('HGET', KEYS[2], 'number')
if not last then
    return {}
end
local index = ARGV[1] - (last - redis.call('LLEN', KEYS[1]) + 1)
return index < 0 and {} or redis.call('LRANGE', KEYS[1], index, -1)
"""


class RedisLogs:
    """For several machines: a list for each log, and a hash with its last number and its size.

    Raises as `redis_client` does.
    """

    blocking = True
    prefix = "toolgen:events:"

    def __init__(self, url: str) -> None:
        import redis

        self._failure: type[Exception] = redis.RedisError
        client = redis_client(url)
        self._append: Any = client.register_script(_APPEND)
        self._since: Any = client.register_script(_SINCE)

    def append(self, name: str, event: bytes, seconds: float) -> int:
        arguments = [event, math.ceil(seconds), _first_number(), LOG_EVENTS, LOG_BYTES]
        try:
            return int(self._append(self._keys(name), arguments))
        except self._failure as error:
            raise StoreError(f"Redis: {error}") from error

    def since(self, name: str, number: int) -> list[bytes]:
        try:
            found: list[bytes] = self._since(self._keys(name), [number])
        except self._failure as error:
            raise StoreError(f"Redis: {error}") from error
        return found

    def _keys(self, name: str) -> list[str]:
        return [self.prefix + name, f"{self.prefix}{name}:last"]


def open_event_logs(text: str) -> EventLogs:
    """Return the logs that TOOLGEN_EVENT_STORE names. Raises SettingError if they cannot be used."""
    found: EventLogs = open_store("event_store", text, memory=MemoryLogs, sqlite=SqliteLogs, redis=RedisLogs)
    return found
