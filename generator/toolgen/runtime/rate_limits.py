"""Limits of calls: at most so many in any second and in any minute, counted in moving windows.

The windows are those of the package `limits` (extra `limits`), in memory or in Redis. It has no storage in
SQLite: `SqliteStorage` is one by its interface.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .settings import SettingError
from .stores.opening import SECONDS, StoreError, ask, open_store

if TYPE_CHECKING:
    from limits import RateLimitItem
    from limits.strategies import MovingWindowRateLimiter

NEEDED: Final = "limits of calls need the package limits: pip install 'toolgen[limits]'"
_PREFIX: Final = "toolgen:limit"


class RateLimits:
    """Counts calls in moving windows. Safe to use from several threads and event loops.

    Args:
        limiter: the limiter of `limits`, with its storage.
        blocking: whether the storage waits for a disk or a network.

    Example:
        seconds = await RateLimits.from_setting("memory").take({"per_minute": 60}, "tool", "search", "ann")
    """

    def __init__(self, limiter: MovingWindowRateLimiter, *, blocking: bool) -> None:
        self.blocking = blocking
        self._limiter = limiter
        self._lock = threading.Lock()  # that of a key in memory can be replaced while a thread waits for it

    @classmethod
    def from_setting(cls, text: str) -> RateLimits:
        """Return limits in the store of TOOLGEN_RATE_LIMIT_STORE.

        Raises SettingError if it cannot be used, or `limits` is not installed.
        """
        try:
            from limits.storage import MemoryStorage, RedisStorage
            from limits.strategies import MovingWindowRateLimiter
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "limits":
                raise
            raise SettingError(NEEDED) from error

        def in_redis(url: str) -> Any:
            import redis  # noqa: F401  the error for a missing package names the extra

            times: Any = {"socket_timeout": SECONDS, "socket_connect_timeout": SECONDS}
            return RedisStorage(url, key_prefix=_PREFIX, wrap_exceptions=True, **times)

        def in_sqlite(path: Path) -> Any:
            from .stores.sqlite_windows import SqliteStorage

            return SqliteStorage(path, wrap_exceptions=True)

        storage = open_store("rate_limit_store", text, memory=MemoryStorage, sqlite=in_sqlite, redis=in_redis)
        return cls(MovingWindowRateLimiter(storage), blocking=text != "memory")

    async def take(self, limit: Mapping[str, Any], *names: str) -> float | None:
        """Count a call of whoever `names` are. Return None, or the seconds to wait if there are too many.

        `limit` has `per_second`, `per_minute` or both. Raises StoreError.
        """
        return await ask(self, lambda: self._take(limit, names), part="rate limit store")

    def _take(self, limit: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
        from limits.errors import StorageError

        try:
            # the shorter window first: calls that it refuses must not use up the longer one
            for item in _items(limit):
                if not self._hit(item, names):
                    reset = self._limiter.get_window_stats(item, *names).reset_time
                    return max(0.001, round(reset - time.time(), 3))
        except StorageError as error:
            raise StoreError(str(error.storage_error)) from error
        return None

    def _hit(self, item: RateLimitItem, names: tuple[str, ...]) -> bool:
        if self.blocking:
            return self._limiter.hit(item, *names)
        with self._lock:
            return self._limiter.hit(item, *names)


def _items(limit: Mapping[str, Any]) -> list[RateLimitItem]:
    from limits import RateLimitItemPerMinute, RateLimitItemPerSecond

    kinds = {"per_second": RateLimitItemPerSecond, "per_minute": RateLimitItemPerMinute}
    return [kind(limit[name]) for name, kind in kinds.items() if limit.get(name)]
