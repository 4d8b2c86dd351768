"""Moving windows in SQLite, as a storage of the package `limits`, for several processes on one machine.

A module of its own, because the class needs `limits` when it is defined.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from limits.storage import MovingWindowSupport, Storage

from .opening import sqlite_connection


class SqliteStorage(Storage, MovingWindowSupport):
    """One row for each call in a window. Only the moving window is supported."""

    STORAGE_SCHEME = None  # not found by a URL: `limits` has one for all packages

    def __init__(self, path: Path, *, wrap_exceptions: bool = False) -> None:
        super().__init__(wrap_exceptions=wrap_exceptions)
        self._path = path
        self._lock = threading.Lock()  # threads of one process queue here, which is fairer than SQLite's lock
        with closing(sqlite_connection(path)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS windows "
                "(key TEXT NOT NULL, at REAL NOT NULL, until REAL NOT NULL)"
            )
            db.execute("CREATE INDEX IF NOT EXISTS windows_at ON windows (key, at)")
            db.execute("CREATE INDEX IF NOT EXISTS windows_until ON windows (until)")

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        return sqlite3.Error

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Add `amount` calls to a window unless it would have more than `limit`."""
        with self._lock, closing(sqlite_connection(self._path)) as db:
            # takes the write lock at once: two processes must not both find the last place free
            db.execute("BEGIN IMMEDIATE")
            now = time.time()
            db.execute("DELETE FROM windows WHERE until < ?", (now,))
            query = "SELECT count(*) FROM windows WHERE key = ? AND at >= ?"
            (count,) = db.execute(query, (key, now - expiry)).fetchone()
            has_place: bool = count + amount <= limit
            if has_place:
                rows = [(key, now, now + expiry)] * amount
                db.executemany("INSERT INTO windows VALUES (?, ?, ?)", rows)
            db.execute("COMMIT")
            return has_place

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """Return when the window begins, which is its oldest call, and how many calls are in it."""
        now = time.time()
        query = "SELECT min(at), count(*) FROM windows WHERE key = ? AND at >= ?"
        with closing(sqlite_connection(self._path)) as db:
            start, count = db.execute(query, (key, now - expiry)).fetchone()
        return (now if start is None else start), count

    def clear(self, key: str) -> None:
        """Forget the calls in a window."""
        self._delete("DELETE FROM windows WHERE key = ?", key)

    def reset(self) -> int | None:
        """Forget all calls."""
        return self._delete("DELETE FROM windows")

    def check(self) -> bool:
        """True if the file can be read."""
        try:
            with closing(sqlite_connection(self._path)) as db:
                db.execute("SELECT 1 FROM windows LIMIT 1")
        except sqlite3.Error:
            return False
        return True

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Not supported: a counter of fixed windows."""
        raise NotImplementedError

    def get(self, key: str) -> int:
        """Not supported: a counter of fixed windows."""
        raise NotImplementedError

    def get_expiry(self, key: str) -> float:
        """Not supported: a counter of fixed windows."""
        raise NotImplementedError

    def _delete(self, statement: str, *values: Any) -> int:
        with self._lock, closing(sqlite_connection(self._path)) as db:
            return db.execute(statement, values).rowcount
