"""Values by key, each for a time, which processes share: in memory, in SQLite or in Redis.

A store knows nothing of its values. It changes one atomically, by a function: records of calls and windows
of limits are two kinds of such functions.
"""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from toolgen.base import MIB
from toolgen.runtime.health import HEALTH
from toolgen.runtime.own_threads import OwnThreads
from toolgen.runtime.settings import SettingError, variable

Result = TypeVar("Result")

SECONDS: Final = 5.0  # time limit of a database
MEMORY_LIMIT: Final = 256 * MIB  # bytes of all values in memory
_OVERHEAD: Final = 512  # bytes of a value in memory, beside itself
WAIT_SECONDS: Final = 2 * SECONDS  # that a call waits for a store: for a thread, and for the answer
_SQLITE: Final = "sqlite:///"
_REDIS: Final = ("redis://", "rediss://", "unix://")
_THREADS: Final = OwnThreads("store", 16)


class StoreError(Exception):
    """A store could not answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value, and when it is forgotten. A time that has come deletes it."""

    value: bytes
    expires_at: float  # seconds since the epoch


Change: TypeAlias = Callable[[bytes | None, float, float], Entry | None]
"""Returns what is written, or None to leave all as it is. Its arguments are the value, or None without one,
the time in seconds, and when values were lost, because the store was emptied; 0 if that never happened. It
may be called several times, and only what its last call returns is written."""


class Store(Protocol):
    """Values by key. Safe to use from several threads."""

    blocking: bool  # whether `apply` waits for a disk or a network

    def apply(self, key: str, change: Change) -> None:
        """Change the value of a key atomically. Raises StoreError."""
        ...


class MemoryStore:
    """For one process. A full store refuses new values, because a forgotten call could be executed again."""

    blocking = False

    def __init__(self, limit: int = MEMORY_LIMIT) -> None:
        self._limit = limit
        self._size = 0
        self._lock = threading.Lock()
        self._entries: dict[str, Entry] = {}
        self._expiring: list[tuple[float, str]] = []  # a heap; later changes leave old items behind

    def apply(self, key: str, change: Change) -> None:
        with self._lock:
            now = time.time()
            self._forget(now)
            found = self._entries.get(key)
            entry = change(None if found is None else found.value, now, 0.0)
            if entry is None:
                return
            size = self._size + _size_of(entry) - _size_of(found)
            if size > self._limit:
                raise StoreError(f"it would hold more than {self._limit} bytes")
            self._size, self._entries[key] = size, entry
            heappush(self._expiring, (entry.expires_at, key))

    def _forget(self, now: float) -> None:
        while self._expiring and self._expiring[0][0] <= now:
            key = heappop(self._expiring)[1]
            entry = self._entries.get(key)
            if entry is not None and entry.expires_at <= now:
                self._size -= _size_of(entry)
                del self._entries[key]


def _size_of(entry: Entry | None) -> int:
    return 0 if entry is None else len(entry.value) + _OVERHEAD


class SqliteStore:
    """For several processes on one machine: a file, locked for each change."""

    blocking = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # threads of one process queue here, which is fairer than SQLite's lock
        with closing(self._connection()) as db:
            db.execute("PRAGMA journal_mode = WAL")  # readers do not wait for a writer
            db.execute(
                "CREATE TABLE IF NOT EXISTS entries "
                "(key TEXT PRIMARY KEY, value BLOB NOT NULL, expires_at REAL NOT NULL)"
            )
            db.execute("CREATE INDEX IF NOT EXISTS entries_expiry ON entries (expires_at)")

    def _connection(self) -> sqlite3.Connection:
        """Return a connection that waits for other processes, and begins transactions only when told to."""
        return sqlite3.connect(self._path, timeout=SECONDS, isolation_level=None)

    def apply(self, key: str, change: Change) -> None:
        try:
            with closing(self._connection()) as db:
                # most calls of `apply` only look: they need no lock
                if change(_read(db, key), time.time(), 0.0) is not None:
                    with self._lock:
                        self._write(db, key, change)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error

    def _write(self, db: sqlite3.Connection, key: str, change: Change) -> None:
        # takes the write lock at once: two processes must not both find the key missing
        db.execute("BEGIN IMMEDIATE")
        now = time.time()
        entry = change(_read(db, key), now, 0.0)
        if entry is not None:
            row = (key, entry.value, entry.expires_at)
            db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", row)
        db.execute("DELETE FROM entries WHERE expires_at <= ?", (now,))
        db.execute("COMMIT")


def _read(db: sqlite3.Connection, key: str) -> bytes | None:
    query = "SELECT value FROM entries WHERE key = ? AND expires_at > ?"
    row = db.execute(query, (key, time.time())).fetchone()
    return None if row is None else row[0]


class RedisStore:
    """For several machines. The clock is that of Redis.

    A key `…:epoch` shows whether Redis was emptied, for example by a restart without persistence: keys that
    were used before are unknown then, and no new call is begun with any key until they would have expired.

    Raises ModuleNotFoundError without redis-py, ValueError if it refuses the URL.
    """

    blocking = True
    prefix = "toolgen:"

    def __init__(self, url: str) -> None:
        from redis import Redis  # only who names a Redis has redis-py

        self._client: Any = Redis.from_url(
            url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, decode_responses=False
        )
        self._epoch: str | None = None  # that this process has seen

    def apply(self, key: str, change: Change) -> None:
        from redis import RedisError, WatchError  # as above

        while True:
            try:
                return self._apply(self.prefix + key, change)
            except WatchError:  # another process was faster
                continue
            except RedisError as error:
                raise StoreError(f"Redis: {error}") from error

    def _apply(self, name: str, change: Change) -> None:
        epoch_name = f"{self.prefix}epoch"
        with self._client.pipeline() as pipe:
            pipe.watch(name, epoch_name)
            found, written = pipe.mget(name, epoch_name)
            seconds, microseconds = pipe.time()
            now = seconds + microseconds / 1e6
            epoch, lost_at = self._epoch_at(written, now)
            entry = change(found, now, lost_at)
            value = f"{epoch} {lost_at!r}".encode()
            if entry is None and value == written:
                return
            # WATCH and EXEC are atomic: https://redis.io/docs/latest/develop/using-commands/transactions/
            pipe.multi()
            if value != written:
                pipe.set(epoch_name, value)
            if entry is not None and entry.expires_at <= now:
                pipe.delete(name)
            elif entry is not None:
                pipe.set(name, entry.value, px=int((entry.expires_at - now) * 1000) + 1)
            pipe.execute()
            self._epoch = epoch

    def _epoch_at(self, written: bytes | None, now: float) -> tuple[str, float]:
        """Return the epoch of the store, and when it was emptied: 0 if it was not."""
        if written is None:
            return secrets.token_hex(8), now if self._epoch is not None else 0.0
        epoch, _, text = written.decode().partition(" ")
        lost_at = float(text)
        if self._epoch not in (None, epoch) and not lost_at:
            lost_at = now  # a process that began after the loss could not know of it
        return epoch, lost_at


def open_store(setting: str, text: str, *, memory: Callable[[], Store] = MemoryStore) -> Store:
    """Return the store that the value `text` of a setting names; `memory` returns the one of this process.

    Raises SettingError, which never contains a password of the URL, if the store cannot be used.
    """
    name = variable(setting)
    if text == "memory":
        return memory()
    if text.startswith(_SQLITE) and len(text) > len(_SQLITE):
        path = Path(text.removeprefix(_SQLITE))
        try:
            return SqliteStore(path)
        except sqlite3.Error as error:
            raise SettingError(f"{name}: {path}: {error}") from error
    if text.startswith(_REDIS):
        try:
            return RedisStore(text)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "redis":
                raise
            raise SettingError(f"{name} needs the package redis: pip install 'toolgen[redis]'") from error
        except ValueError as error:
            raise SettingError(f"{name} is not a Redis URL: {error}") from error
    kind = text.partition(":")[0]  # the rest may contain a password
    raise SettingError(f"{name} must be memory, sqlite:///path or redis://host:port, not {kind!r}")


async def ask(store: Any, question: Callable[[], Result], *, part: str) -> Result:
    """Return `question()`, called in a thread if the store is `blocking`.

    `part` names the store in the health of the process. Raises StoreError, also after WAIT_SECONDS.
    """
    if not store.blocking:
        return question()
    try:
        answer = await asyncio.wait_for(_THREADS.run(question), WAIT_SECONDS)
    except (TimeoutError, StoreError) as error:
        reason = str(error) or f"it did not answer within {WAIT_SECONDS:g} seconds"
        HEALTH.degrade(part, reason)
        raise StoreError(reason) from error
    HEALTH.recover(part)
    return answer
