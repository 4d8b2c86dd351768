"""A bounded number of threads for synchronous (`def`) tools, and bounded queues for calls that have to wait.

The event loop's default executor is left to the application, so that a blocking tool does not delay DNS
look-ups. Threads are daemons, so that a tool that never returns does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from toolgen.runtime.errors import OverloadedError
from toolgen.runtime.instrumentation.telemetry import QUEUE_DEPTH, observe
from toolgen.runtime.logs.logger import LOGGER

IDLE_SECONDS: Final = 10.0  # after which an idle thread ends
WAIT_SECONDS: Final = 30.0  # that a call waits for a slot; clients give up after 60 by default
Work: TypeAlias = Callable[[], Callable[[], None]]
"""Returns a function that reports its end, which is called when the thread is idle again."""


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    """A task that waits for a slot, in its own event loop."""

    tool_name: str
    most: int  # slots of its tool
    loop: asyncio.AbstractEventLoop
    granted: asyncio.Event


class Limiter:
    """A number of slots for calls, and a bounded queue for those that wait for one.

    Safe to use from several event loops and threads, which an `asyncio.Semaphore` is not. With `shown`, its
    slots are not those of tools: metrics have all that wait under this name.
    """

    def __init__(self, limit: int, shown: str | None = None) -> None:
        self.limit, self._shown = limit, shown
        self._lock = threading.Lock()
        self._free = limit
        self._taken: Counter[str] = Counter()  # slots by tool
        self._waiting: deque[_Waiter] = deque()
        observe(QUEUE_DEPTH, self, Limiter._count_waiting)

    async def acquire(self, tool_name: str, queue: int, *, busy: str, most: int | None = None) -> None:
        """Take a slot; wait for one if none is free, or if the tool has `most` slots.

        Raises OverloadedError with the message `busy` if `queue` calls wait already, or no slot was free for
        WAIT_SECONDS. A task that is cancelled leaves the queue.
        """
        most = self.limit if most is None else most
        with self._lock:
            if self._take(tool_name, most):
                return
            # tasks of an event loop that was closed still have places
            self._waiting = deque(each for each in self._waiting if not each.loop.is_closed())
            waiting = Counter(each.tool_name for each in self._waiting)
            # a tool that may not take all slots may not take all places either
            places = queue if most >= self.limit else (queue + 1) // 2
            if waiting.total() >= queue or waiting[tool_name] >= places:
                raise _overloaded(busy)
            # under the lock of the check: a slot that is freed after it must find this task in the queue
            waiter = _Waiter(tool_name, most, asyncio.get_running_loop(), asyncio.Event())
            self._waiting.append(waiter)
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await waiter.granted.wait()
        except BaseException as error:
            with self._lock:
                is_granted = waiter not in self._waiting
                if not is_granted:
                    self._waiting.remove(waiter)
            if is_granted:  # the slot came in the same turn of the event loop
                self.release(tool_name)
            if isinstance(error, TimeoutError):
                raise _overloaded(busy) from None
            raise

    def release(self, tool_name: str) -> None:
        """Release a slot. The first task in the queue that may take it gets it."""
        with self._lock:
            self._give_back(tool_name)
            for waiter in tuple(self._waiting):
                if self._take(waiter.tool_name, waiter.most):
                    self._waiting.remove(waiter)
                    try:
                        waiter.loop.call_soon_threadsafe(waiter.granted.set)
                    except RuntimeError:  # its event loop has been closed
                        self._give_back(waiter.tool_name)

    def _take(self, tool_name: str, most: int) -> bool:
        if not self._free or self._taken[tool_name] >= most:
            return False
        self._free -= 1
        self._taken[tool_name] += 1
        return True

    def _give_back(self, tool_name: str) -> None:
        self._free += 1
        self._taken[tool_name] -= 1
        if not self._taken[tool_name]:
            del self._taken[tool_name]

    def _count_waiting(self) -> Mapping[str, float]:
        with self._lock:
            return Counter(self._shown or each.tool_name for each in self._waiting)


def _overloaded(busy: str) -> OverloadedError:
    return OverloadedError(f"{busy}. Try again later.", retry_after=1)


class _Threads:
    """The threads of all pools of a process: toolkits that live for one call would each start their own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = 0  # threads that wait, and that no call has taken
        self._inbox: SimpleQueue[Work] = SimpleQueue()

    def start(self, work: Work) -> None:
        """Run `work` in an idle thread, or else in a new one. Raises RuntimeError if none can be started."""
        with self._lock:
            has_idle = self._idle > 0
            self._idle -= has_idle
        if not has_idle:
            threading.Thread(target=self._run, name="toolgen-worker", daemon=True).start()
        self._inbox.put(work)

    def _run(self) -> None:
        while True:
            try:
                work = self._inbox.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if self._idle:
                        self._idle -= 1
                        return
                continue  # a call has just taken it
            report = work()
            with self._lock:
                self._idle += 1
            report()  # last, so that the caller's next call finds this thread idle
            del work, report  # their references must not live until the next call


_threads_of = lru_cache(1)(lambda process: _Threads())  # a fork has none of them


class WorkerPool:
    """At most `threads` threads, started when needed; at most `queue` calls wait for one.

    One tool has at most half of both, or as many threads as its spec says in `concurrency`, so that a tool
    that hangs leaves threads to the others.
    """

    def __init__(self, threads: int, queue: int) -> None:
        self.queue = queue
        self._slots = Limiter(threads)

    async def acquire(self, tool_name: str, most: int | None = None) -> None:
        """Wait until a call may have a thread. Raises OverloadedError if that takes too long."""
        busy = f"All worker threads that {tool_name} may use are busy"
        most = (self._slots.limit + 1) // 2 if most is None else most
        await self._slots.acquire(tool_name, self.queue, busy=busy, most=most)

    def start(self, tool_name: str, work: Work) -> None:
        """Run `work` in a thread, after `acquire`, and report its end.

        Raises OverloadedError if the system cannot start a thread.
        """
        try:
            _threads_of(os.getpid()).start(partial(self._run, tool_name, work))
        except RuntimeError:
            self._slots.release(tool_name)
            raise OverloadedError("No worker thread could be started.", retry_after=1) from None

    def _run(self, tool_name: str, work: Work) -> Callable[[], None]:
        report: Callable[[], None] | None = None
        try:
            report = work()
        except BaseException:
            LOGGER.exception("a worker thread failed")

        def end() -> None:
            self._slots.release(tool_name)
            if report is not None:
                report()

        return end
