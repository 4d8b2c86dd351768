"""Threads for blocking work of the runtime itself, such as a query to a store.

The event loop's default executor is left to the application, which resolves host names there: a store that
does not answer would delay every connection that a tool opens.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

Result = TypeVar("Result")


class OwnThreads:
    """At most `threads` threads, started when needed. Safe to use from several event loops and threads."""

    def __init__(self, name: str, threads: int) -> None:
        # by process: a fork has none of the threads
        self._executor = lru_cache(1)(lambda process: ThreadPoolExecutor(threads, f"toolgen-{name}"))

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, called in a thread. Work that has not begun can be cancelled."""
        return await asyncio.get_running_loop().run_in_executor(self._executor(os.getpid()), work)
