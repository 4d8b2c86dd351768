"""Store redeemed confirmations, so that each is valid for one call: in memory, in SQLite or in Redis."""

from __future__ import annotations

import heapq
import math
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Protocol

from toolgen.runtime.stores.opening import StoreError, open_store, redis_client, sqlite_connection

MEMORY_LIMIT: Final = 100_000  # redeemed confirmations that have not expired


class RedemptionStore(Protocol):
    """Redeemed identifiers, each stored until it expires. Safe to use from several threads."""

    blocking: bool  # whether `redeem` waits for a disk or a network

    def redeem(self, identifier: str, expires_at: float) -> bool:
        """Return True the first time for an identifier, and False afterwards. Raises StoreError.

        `expires_at` is in seconds since the epoch; later, the identifier is not used any more. A store that
        forgets expired identifiers refuses them if the clock goes back.
        """
        ...


class MemoryStore:
    """For one process. A full store refuses, because a forgotten confirmation could be redeemed again."""

    blocking = False

    def __init__(self, limit: int = MEMORY_LIMIT) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._redeemed: set[str] = set()
        self._expiring: list[tuple[float, str]] = []  # a heap
        self._latest = 0.0  # time at which a confirmation was redeemed

    def redeem(self, identifier: str, expires_at: float) -> bool:
        with self._lock:
            self._latest = max(self._latest, time.time())
            while self._expiring and self._expiring[0][0] <= self._latest:
                self._redeemed.discard(heapq.heappop(self._expiring)[1])
            # an identifier that has expired may have been forgotten: it must not be redeemed again
            if identifier in self._redeemed or expires_at <= self._latest:
                return False
            if len(self._redeemed) >= self._limit:
                raise StoreError(f"{self._limit} confirmations were redeemed and have not expired")
            self._redeemed.add(identifier)
            heapq.heappush(self._expiring, (expires_at, identifier))
            return True


class SqliteStore:
    """For several processes on one machine: a file, locked for each redemption."""

    blocking = True

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(sqlite_connection(path)) as db:
            db.execute("CREATE TABLE IF NOT EXISTS redeemed (id TEXT PRIMARY KEY, expires_at REAL NOT NULL)")
            db.execute("CREATE INDEX IF NOT EXISTS expiry ON redeemed (expires_at)")
            db.execute("CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, latest REAL NOT NULL)")

    def redeem(self, identifier: str, expires_at: float) -> bool:
        try:
            with closing(sqlite_connection(self._path)) as db:
                # takes the write lock at once: two processes must not both find the identifier missing
                db.execute("BEGIN IMMEDIATE")
                db.execute("INSERT INTO clock VALUES (1, 0) ON CONFLICT DO NOTHING")
                db.execute("UPDATE clock SET latest = max(latest, ?)", (time.time(),))
                (now,) = db.execute("SELECT latest FROM clock").fetchone()
                db.execute("DELETE FROM redeemed WHERE expires_at <= ?", (now,))
                added = db.execute(
                    "INSERT INTO redeemed SELECT ?, ? WHERE ? > ? ON CONFLICT DO NOTHING",
                    (identifier, expires_at, expires_at, now),
                )
                db.execute("COMMIT")
                return added.rowcount == 1
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error


class RedisStore:
    """For several machines: a key for each redeemed identifier, which expires in Redis.

    Raises ModuleNotFoundError without redis-py, ValueError if it refuses the URL.
    """

    blocking = True
    prefix = "toolgen:redeemed:"

    def __init__(self, url: str) -> None:
        self._client: Any = redis_client(url)
        from redis import RedisError

        self._failure: type[Exception] = RedisError

    def redeem(self, identifier: str, expires_at: float) -> bool:
        seconds = max(1, math.ceil(expires_at - time.time())) + 60  # clocks may differ
        try:
            # SET with NX is atomic: https://redis.io/docs/latest/commands/set/
            return self._client.set(self.prefix + identifier, b"1", nx=True, ex=seconds) is True
        except self._failure as error:
            raise StoreError(f"Redis: {error}") from error


_MEMORY: Final = MemoryStore()  # shared by all toolkits of the process, because they may share a key


def open_redemption_store(text: str) -> RedemptionStore:
    """Return the store for TOOLGEN_CONFIRMATION_STORE. Raises SettingError if it cannot be used."""
    store: RedemptionStore = open_store(
        "confirmation_store", text, memory=lambda: _MEMORY, sqlite=SqliteStore, redis=RedisStore
    )
    return store
