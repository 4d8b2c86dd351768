"""Limits of calls: at most so many in any second and in any minute, counted in moving windows.

The windows are those of the package `limits` (extra `limits`), in memory or in Redis, which has none in
SQLite: those are ours.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Protocol

from .settings import SettingError
from .stores.opening import SECONDS, StoreError, ask, open_store, sqlite_connection

NEEDED: Final = "limits of calls need the package limits: pip install 'toolgen[limits]'"
_PREFIX: Final = "toolgen:limit"
_SECONDS: Final = {"per_second": 1, "per_minute": 60}
"""The shorter window first: calls that it refuses must not use up the longer one."""


class Windows(Protocol):
    """Moving windows of calls. Safe to use from several threads."""

    blocking: bool  # whether `take` waits for a disk or a network

    def take(self, name: str, limit: int, seconds: int) -> float | None:
        """Count a call in a window unless it has `limit` calls: then return when there is room again.

        That is a time in seconds since the epoch. Raises StoreError.
        """
        ...


class RateLimits:
    """Counts calls in moving windows. Safe to use from several threads and event loops.

    Example:
        seconds = await RateLimits.from_setting("memory").take({"per_minute": 60}, "tool", "search", "ann")
    """

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    @classmethod
    def from_setting(cls, text: str) -> RateLimits:
        """Return limits in the store of TOOLGEN_RATE_LIMIT_STORE.

        Raises SettingError if it cannot be used, or needs `limits`, which is not installed.
        """
        try:
            return cls(
                open_store("rate_limit_store", text, memory=_in_memory, sqlite=SqliteWindows, redis=_in_redis)
            )
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "limits":
                raise
            raise SettingError(NEEDED) from error

    async def take(self, limit: Mapping[str, Any], *names: str) -> float | None:
        """Count a call of whoever `names` are. Return None, or the seconds to wait if there are too many.

        `limit` has `per_second`, `per_minute` or both. Raises StoreError.
        """
        return await ask(self._windows, lambda: self._take(limit, names), part="rate limit store")

    def _take(self, limit: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
        for key, seconds in _SECONDS.items():
            if limit.get(key):
                until = self._windows.take("/".join((*names, key)), limit[key], seconds)
                if until is not None:
                    return max(0.001, round(until - time.time(), 3))
        return None


def _in_memory() -> Windows:
    from limits.storage import MemoryStorage

    return LimitsWindows(MemoryStorage())


def _in_redis(url: str) -> Windows:
    import redis  # noqa: F401  the error for a missing package names the extra
    from limits.storage import RedisStorage

    times: Any = {"socket_timeout": SECONDS, "socket_connect_timeout": SECONDS}
    storage = RedisStorage(url, key_prefix=_PREFIX, wrap_exceptions=True, **times)
    return LimitsWindows(storage, blocking=True)


class LimitsWindows:
    """Windows of the package `limits`, in one of its storages."""

    def __init__(self, storage: Any, *, blocking: bool = False) -> None:
        from limits.strategies import MovingWindowRateLimiter

        self.blocking = blocking
        self._limiter = MovingWindowRateLimiter(storage)
        self._lock = threading.Lock()  # that of a key in memory can be replaced while a thread waits for it

    def take(self, name: str, limit: int, seconds: int) -> float | None:
        from limits import RateLimitItemPerSecond
        from limits.errors import StorageError

        item = RateLimitItemPerSecond(limit, seconds)
        try:
            if self.blocking:
                is_counted = self._limiter.hit(item, name)
            else:
                with self._lock:
                    is_counted = self._limiter.hit(item, name)
            return None if is_counted else self._limiter.get_window_stats(item, name).reset_time
        except StorageError as error:
            raise StoreError(str(error.storage_error)) from error


class SqliteWindows:
    """One row for each call in a window, for several processes on one machine."""

    blocking = True

    def __init__(self, path: Path) -> None:
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

    def take(self, name: str, limit: int, seconds: int) -> float | None:
        try:
            with self._lock, closing(sqlite_connection(self._path)) as db:
                # takes the write lock at once: two processes must not both find the last place free
                db.execute("BEGIN IMMEDIATE")
                now = time.time()
                db.execute("DELETE FROM windows WHERE until < ?", (now,))
                query = "SELECT count(*), min(at) FROM windows WHERE key = ? AND at >= ?"
                count, oldest = db.execute(query, (name, now - seconds)).fetchone()
                if count < limit:
                    db.execute("INSERT INTO windows VALUES (?, ?, ?)", (name, now, now + seconds))
                db.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error
        return None if count < limit else oldest + seconds
