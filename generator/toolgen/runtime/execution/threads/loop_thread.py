"""An event loop in its own thread, for calls from synchronous code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar
from weakref import finalize

from .event_loop import cancel_tasks, run_until_done

Result = TypeVar("Result")


class LoopThread:
    """An event loop that runs in a daemon thread from its first use until `stop`. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stopped: asyncio.Future[None] | None = None  # done when the loop is to end

    @property
    def running(self) -> bool:
        """True between the first use and `stop`. False in a forked child, where the thread is missing."""
        return self._thread is not None and self._thread.is_alive()

    def submit(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Future[Result]:
        """Start `work()` in the loop, with the caller's context variables."""
        with self._lock:
            loop = self._loop
            if loop is None or not self.running:
                loop = self._start()
            return asyncio.run_coroutine_threadsafe(work(), loop)

    def run(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Run `work()` in the loop and return its result. Interrupting the wait cancels it.

        Raises RuntimeError in the loop's own thread, which would wait for itself.
        """
        if threading.current_thread() is self._thread:
            raise RuntimeError(
                "call_sync was called in its own event loop, by an async tool that it runs: use `await call`"
            )
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # no effect if it is done; after KeyboardInterrupt it is not
            raise

    def stop(self, *, wait: bool = True) -> None:
        """End the loop and its thread, and cancel running work. The next use starts another loop."""
        with self._lock:
            loop, thread, stopped = self._loop, self._thread, self._stopped
            self._loop = self._thread = self._stopped = None
        # never used, stopped before, or lost in a fork
        if loop is None or thread is None or stopped is None or not thread.is_alive():
            return
        _stop(loop, stopped)
        # a thread cannot wait for its own end
        if wait and threading.current_thread() is not thread:
            thread.join()

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        self._loop, self._stopped = loop, loop.create_future()
        arguments = (loop, self._stopped)
        self._thread = threading.Thread(target=_run, args=arguments, name="toolgen-call-sync", daemon=True)
        self._thread.start()
        # a daemon thread needs no end at exit, and waiting there could hang
        finalize(self, _stop, *arguments).atexit = False  # no thread outlives its toolkit
        return loop


def _stop(loop: asyncio.AbstractEventLoop, stopped: asyncio.Future[None]) -> None:
    def end() -> None:
        if not stopped.done():
            stopped.set_result(None)

    with suppress(RuntimeError):  # already closed
        loop.call_soon_threadsafe(end)


def _run(loop: asyncio.AbstractEventLoop, stopped: asyncio.Future[None]) -> None:
    asyncio.set_event_loop(loop)
    try:
        run_until_done(stopped, loop)
        cancel_tasks(loop)
        run_until_done(loop.create_task(loop.shutdown_asyncgens()), loop)
    finally:
        loop.close()
