"""A bounded pool of threads for plain (`def`) tools, and bounded queues for those that have to wait.

The event loop's default executor is left to the application: a tool that blocks delays no DNS look-up.
Threads are daemons, so a tool that never returns does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final

from toolgen.runtime.context import LOGGER
from toolgen.runtime.errors import OverloadedError

IDLE_SECONDS: Final = 10.0  # after which an idle thread ends
_LONGEST_RETRY: Final = 60  # seconds


@dataclass(slots=True, eq=False)
class _Waiter:
    """A task that waits for a place, in its own event loop."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[None]
    granted: bool = False

    def wake(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class Limiter:
    """A number of places, and a bounded queue for who waits for one.

    For any number of event loops and threads.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._taken = 0
        self._waiting: deque[_Waiter] = deque()
        self._seconds = 1.0  # that a place was taken lately, on average

    async def acquire(self, queue: int | None, what: str) -> float:
        """Take a place, waiting for one if `queue` or fewer wait already. Return the time it was taken.

        Raises OverloadedError, saying that `what` is busy, if the queue is full. Who is cancelled
        leaves the queue.
        """
        with self._lock:
            if self._taken < self.limit:
                self._taken += 1
                return monotonic()
            waiter = self._enqueue(queue, what)
        try:
            await waiter.future
        except BaseException:
            with self._lock:
                if waiter.granted:
                    self._hand_over()
                else:
                    self._waiting.remove(waiter)
            raise
        return monotonic()

    def release(self, began: float) -> None:
        """Give back a place that was taken at `began`; the first in the queue gets it."""
        with self._lock:
            self._seconds += (monotonic() - began - self._seconds) / 8
            self._hand_over()

    def _enqueue(self, queue: int | None, what: str) -> _Waiter:
        if queue is not None and len(self._waiting) >= queue:
            self._waiting = deque(each for each in self._waiting if not each.loop.is_closed())
            if len(self._waiting) >= queue:
                raise OverloadedError(f"{what}. Try again later.", retry_after=self._estimate())
        loop = asyncio.get_running_loop()
        waiter = _Waiter(loop, loop.create_future())
        self._waiting.append(waiter)
        return waiter

    def _hand_over(self) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            try:
                waiter.loop.call_soon_threadsafe(waiter.wake)
            except RuntimeError:  # its event loop has been closed
                continue
            waiter.granted = True
            return
        self._taken -= 1

    def _estimate(self) -> int:
        """Return the seconds in which the queue is likely to have moved on, from 1 to 60."""
        seconds = self._seconds * (len(self._waiting) + 1) / self.limit
        return min(_LONGEST_RETRY, max(1, math.ceil(seconds)))


class Worker:
    """A thread of the pool, taken by one call, which gives it its work with `start`."""

    def __init__(self, pool: WorkerPool) -> None:
        self.began = 0.0
        self._pool = pool
        self._inbox: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._run, name="toolgen-worker", daemon=True).start()

    def start(self, work: Callable[[], None]) -> None:
        """Run `work`, then go back to the pool."""
        self._inbox.put(work)

    def end(self) -> None:
        """End the thread."""
        self._inbox.put(None)

    def _run(self) -> None:
        while True:
            try:
                work = self._inbox.get(timeout=IDLE_SECONDS)
            except Empty:
                if self._pool.retire(self):
                    return
                continue
            if work is None:
                return
            try:
                work()
            except BaseException:
                LOGGER.exception("a worker thread failed")
            del work  # what it holds must not live until the next call
            self._pool.give_back(self)


class WorkerPool:
    """At most `threads` threads, started when needed; at most `queue` calls wait for one."""

    def __init__(self, threads: int, queue: int) -> None:
        self.queue = queue
        self._places = Limiter(threads)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._abandoned: Counter[str] = Counter()  # calls by tool that nobody waits for, still running

    async def acquire(self) -> Worker:
        """Take a thread, waiting for one if need be. Raises OverloadedError if the queue is full."""
        began = await self._places.acquire(self.queue, "All worker threads are busy and the queue is full")
        try:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            worker = worker or Worker(self)
        except RuntimeError:  # the system has no thread to give
            self._places.release(began)
            raise OverloadedError("No worker thread could be started.", retry_after=1) from None
        worker.began = began
        return worker

    def give_back(self, worker: Worker) -> None:
        """Take a thread back that has ended its work."""
        with self._lock:
            self._idle.append(worker)
        self._places.release(worker.began)

    def retire(self, worker: Worker) -> bool:
        """Remove a thread that has been idle for long; False if it has just been taken."""
        with self._lock:
            if worker not in self._idle:
                return False
            self._idle.remove(worker)
            return True

    def close(self) -> None:
        """End the idle threads.

        The pool starts new ones when it is used again; busy ones end when idle for long.
        """
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()

    def abandoned(self, tool_name: str) -> None:
        """Note that nobody waits any more for a call whose thread runs on; log the first of a tool."""
        with self._lock:
            self._abandoned[tool_name] += 1
            first = self._abandoned[tool_name] == 1
            total = self._abandoned.total()
        if first:
            LOGGER.warning(
                "tool %s runs on in its thread after its call has ended; "
                "%d of %d threads are taken by such calls",
                tool_name,
                total,
                self._places.limit,
                extra={"tool_name": tool_name, "event": "abandoned"},
            )

    def returned(self, tool_name: str) -> None:
        """Note that the thread of an abandoned call has ended its work."""
        with self._lock:
            self._abandoned[tool_name] -= 1
            if not self._abandoned[tool_name]:
                del self._abandoned[tool_name]
