"""A tool's own set-up, done once before its first call, however many calls come at once; and its end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from toolgen.runtime.context import LOGGER
from toolgen.runtime.instrumentation.redaction import without_text
from toolgen.runtime.tool import BaseTool


class Readiness:
    """Whether one instance is set up. Safe to use from several threads and event loops."""

    def __init__(self, tool: BaseTool[Any, Any]) -> None:
        self._tool = tool
        self._lock = threading.Lock()
        self._running: Future[None] | None = None
        self._needed = type(tool).setup is not BaseTool.setup or type(tool).close is not BaseTool.close
        self.done = not self._needed

    async def prepare(self) -> None:
        """Set the tool up, unless it is. Raises what `setup` raises; the next call tries again."""
        while not self.done:
            mine = Future[None]()
            with self._lock:
                others = self._running
                self._running = others or mine
            if others is None:
                await self._run(mine)
            else:
                await asyncio.shield(asyncio.wrap_future(others))

    async def _run(self, running: Future[None]) -> None:
        failed: Exception | None = None
        try:
            if not self.done:  # somebody may just have finished
                await _call(self._tool.setup)
                self.done = True
        except Exception as error:
            failed = error
            raise
        finally:  # who waits gets the same answer; after a cancellation, one of them takes over
            self._running = None
            if failed is None:
                running.set_result(None)
            else:
                running.set_exception(failed)

    async def close(self) -> None:
        """Close the tool if it was set up. What it raises is logged: the others have to be closed, too."""
        if not self._needed:
            return
        with self._lock:
            was, self.done = self.done, False
        if not was:
            return
        try:
            await _call(self._tool.close)
        except Exception as error:
            LOGGER.error(
                "closing tool %s failed", self._tool.definition["name"], exc_info=without_text(error)
            )


async def _call(method: Callable[[], Any]) -> None:
    """An `async def` in the event loop, a plain `def` in a worker thread."""
    result = method() if iscoroutinefunction(method) else await asyncio.to_thread(method)
    if isawaitable(result):
        await result
