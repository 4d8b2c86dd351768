"""Event loops that no task of a tool can end; one in its own thread is for calls from synchronous code.

asyncio re-raises SystemExit and KeyboardInterrupt of any task out of the loop. In these loops, each task but
the main one raises an ordinary exception in their place.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import finalize

from toolgen.runtime.isolation import contain_exit
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text

Result = TypeVar("Result")


def run_event_loop(
    main: Callable[[], Coroutine[Any, Any, Result]],
    *,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Result:
    """Run `main()` like `asyncio.run`; a task that exits is logged, and fails.

    Raises what `main()` raises, KeyboardInterrupt after SIGINT, and RuntimeError inside a running event loop.
    """

    async def run() -> Result:
        asyncio.get_running_loop().set_task_factory(_start_task)
        return await main()

    work = run()
    with closing(work), asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(work)


def _start_task(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(_contained(work), loop=loop, **options)
    task.add_done_callback(lambda _: work.close())  # cancelled before its start, it was never awaited
    return task


async def _contained(work: Coroutine[Any, Any, Result]) -> Result:
    try:
        return await work
    except (SystemExit, KeyboardInterrupt) as error:
        kind = type(error).__name__
        LOGGER.error("a task raised %s; the event loop continues", kind, exc_info=without_text(error))
        raise contain_exit(error, "a task") from error


@dataclass(frozen=True, slots=True)
class _Running:
    """A loop that runs until `end`."""

    loop: asyncio.AbstractEventLoop
    stopped: asyncio.Event
    thread: threading.Thread

    @property
    def is_usable(self) -> bool:
        return self.thread.is_alive() and not self.stopped.is_set()

    def end(self) -> None:
        with suppress(RuntimeError):  # already closed
            self.loop.call_soon_threadsafe(self.stopped.set)


class LoopThread:
    """An event loop that runs in a daemon thread from its first use until `stop`. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: _Running | None = None

    @property
    def running(self) -> bool:
        """True between the first use and `stop`. False in a forked child, where the thread is missing."""
        return self._running is not None and self._running.is_usable

    def submit(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Future[Result]:
        """Start `work()` in the loop, with the caller's context variables."""
        with self._lock:
            running = self._running
            if running is None or not running.is_usable:
                running = self._running = self._start()
            return asyncio.run_coroutine_threadsafe(work(), running.loop)

    def run(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Run `work()` in the loop and return its result. Interrupting the wait cancels it.

        Raises RuntimeError in the loop's own thread, which would wait for itself.
        """
        running = self._running
        if running is not None and threading.current_thread() is running.thread:
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
            running, self._running = self._running, None
        if running is None or not running.thread.is_alive():  # never used, stopped before, or lost in a fork
            return
        running.end()
        # a thread cannot wait for its own end
        if wait and threading.current_thread() is not running.thread:
            running.thread.join()

    def _start(self) -> _Running:
        started: Future[_Running] = Future()

        async def until_stopped() -> None:
            stopped = asyncio.Event()
            started.set_result(_Running(asyncio.get_running_loop(), stopped, threading.current_thread()))
            try:
                await stopped.wait()
            finally:  # also if a callback of a tool ends the loop
                stopped.set()

        threading.Thread(target=_run, args=(until_stopped,), name="toolgen-call-sync", daemon=True).start()
        running = started.result()
        # a daemon thread needs no end at exit, and waiting there could hang
        finalize(self, running.end).atexit = False  # no thread outlives its toolkit
        return running


def _run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    try:
        run_event_loop(main)
    except BaseException as error:  # of a callback: running calls are cancelled, the next one starts a loop
        LOGGER.error("a tool has ended the event loop of call_sync", exc_info=without_text(error))
