"""Limits of calls: at most so many in any second and in any minute, counted in moving windows."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Mapping
from typing import Any, Final

from .stores.store import Entry, Store, ask, open_store

_SECONDS: Final = {"per_second": 1, "per_minute": 60}
"""The shorter window first: calls that it refuses must not use up the longer one."""


class RateLimits:
    """Counts calls in moving windows. Safe to use from several threads and event loops.

    Example:
        seconds = await RateLimits.from_setting("memory").take({"per_minute": 60}, "tool", "search", "ann")
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def from_setting(cls, text: str) -> RateLimits:
        """Return limits in the store that a setting names. Raises SettingError if it cannot be used."""
        return cls(open_store("rate_limit_store", text))

    async def take(self, limit: Mapping[str, Any], *names: str) -> float | None:
        """Count a call of whoever `names` are. Return None, or the seconds to wait if there are too many.

        `limit` has `per_second`, `per_minute` or both. Raises StoreError.
        """
        return await ask(self._store, lambda: self._take(limit, names), part="rate limit store")

    def _take(self, limit: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
        for key, seconds in _SECONDS.items():
            if limit.get(key):
                wait = self._count("/".join((*names, key)), limit[key], seconds)
                if wait is not None:
                    return max(0.001, round(wait, 3))
        return None

    def _count(self, name: str, limit: int, seconds: int) -> float | None:
        """Count a call in a window, unless it has `limit` calls: then return when there is room again."""
        wait: float | None = None

        def count(value: bytes | None, now: float, _: float) -> Entry | None:
            nonlocal wait
            times = array("d", value or b"")
            del times[: bisect(times, now - seconds)]
            wait = times[0] + seconds - now if len(times) >= limit else None
            if wait is not None:
                return None
            times.append(now)
            return Entry(times.tobytes(), now + seconds)

        self._store.apply(f"limit:{name}", count)
        return wait
