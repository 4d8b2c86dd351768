"""Threads for blocking work of the runtime itself, such as a query to a store.

The event loop's default executor is left to the application, which resolves host names there: a store that
does not answer would delay every connection that a tool opens.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Result = TypeVar("Result")


class OwnThreads:
    """At most `threads` threads, started when needed. Safe to use from several event loops and threads."""

    def __init__(self, name: str, threads: int) -> None:
        self._name, self._threads = name, threads
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._process = 0  # that started the threads: a fork has none of them

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, called in a thread. Work that has not begun can be cancelled."""
        # `generate` imports the adapters to measure definitions, and should not wait for asyncio
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._executor is None or self._process != os.getpid():
                self._executor = ThreadPoolExecutor(self._threads, f"toolgen-{self._name}")
                self._process = os.getpid()
            executor = self._executor
        return await asyncio.get_running_loop().run_in_executor(executor, work)
