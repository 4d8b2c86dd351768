"""A bounded pool of threads for synchronous (`def`) tools, and bounded queues for calls that have to wait.

The event loop's default executor is left to the application, so that a blocking tool does not delay DNS
look-ups. Threads are daemons, so that a tool that never returns does not keep the process from ending.
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

from toolgen.runtime.errors import OverloadedError
from toolgen.runtime.logs.logger import LOGGER

IDLE_SECONDS: Final = 10.0  # after which an idle thread ends
_LONGEST_RETRY: Final = 60  # seconds


@dataclass(slots=True, eq=False)
class _Waiter:
    """A task that waits for a slot, in its own event loop."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[None]
    granted: bool = False

    def wake(self) -> None:
        if not self.future.done():
            self.future.set_result(None)


class Limiter:
    """A number of slots, and a bounded queue for tasks that wait for one.

    Safe to use from several event loops and threads.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._taken = 0
        self._waiting: deque[_Waiter] = deque()
        self._seconds = 1.0  # moving average of how long a slot was taken

    async def acquire(self, queue: int | None, busy: str) -> float:
        """Take a slot; wait for one if none is free. Return the time when it was taken.

        Raises OverloadedError with the message `busy` if `queue` tasks wait already. A task that is cancelled
        leaves the queue.
        """
        with self._lock:
            if self._taken < self.limit:
                self._taken += 1
                return monotonic()
            waiter = self._enqueue(queue, busy)
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
        """Release a slot that was taken at `began`; the first task in the queue gets it."""
        with self._lock:
            self._seconds += (monotonic() - began - self._seconds) / 8
            self._hand_over()

    def _enqueue(self, queue: int | None, busy: str) -> _Waiter:
        if queue is not None and len(self._waiting) >= queue:
            self._waiting = deque(each for each in self._waiting if not each.loop.is_closed())
            if len(self._waiting) >= queue:
                raise OverloadedError(f"{busy}. Try again later.", retry_after=self._estimate())
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
        """Return the number of seconds after which a slot is likely to be free, from 1 to 60."""
        seconds = self._seconds * (len(self._waiting) + 1) / self.limit
        return min(_LONGEST_RETRY, max(1, math.ceil(seconds)))


class Worker:
    """A thread of the pool. The call that has taken it passes its work to `start`."""

    def __init__(self, pool: WorkerPool) -> None:
        self.began = 0.0
        self._pool = pool
        self._inbox: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._run, name="toolgen-worker", daemon=True).start()

    def start(self, work: Callable[[], None]) -> None:
        """Run `work`, then return to the pool."""
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
            del work  # its references must not live until the next call
            self._pool.give_back(self)


class WorkerPool:
    """At most `threads` threads, started when needed; at most `queue` calls wait for one."""

    def __init__(self, threads: int, queue: int) -> None:
        self.queue = queue
        self._slots = Limiter(threads)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._abandoned: Counter[str] = Counter()  # tool → calls that run although their caller does not wait

    async def acquire(self) -> Worker:
        """Take a thread; wait if none is free. Raises OverloadedError if the queue is full."""
        began = await self._slots.acquire(self.queue, "All worker threads are busy and the queue is full")
        try:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            worker = worker or Worker(self)
        except RuntimeError:  # the system cannot start a thread
            self._slots.release(began)
            raise OverloadedError("No worker thread could be started.", retry_after=1) from None
        worker.began = began
        return worker

    def give_back(self, worker: Worker) -> None:
        """Return a thread whose work has ended to the pool."""
        with self._lock:
            self._idle.append(worker)
        self._slots.release(worker.began)

    def retire(self, worker: Worker) -> bool:
        """Remove a thread that was idle for IDLE_SECONDS; False if it has just been taken."""
        with self._lock:
            if worker not in self._idle:
                return False
            self._idle.remove(worker)
            return True

    def close(self) -> None:
        """End the idle threads.

        The pool starts new ones when it is used again. Busy threads end after IDLE_SECONDS without work.
        """
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()

    def abandoned(self, tool_name: str) -> None:
        """Count a call that continues in its thread without its caller; log the first one of a tool."""
        with self._lock:
            self._abandoned[tool_name] += 1
            first = self._abandoned[tool_name] == 1
            total = self._abandoned.total()
        if first:
            LOGGER.warning(
                "tool %s continues in its thread after its call has ended; "
                "%d of %d threads are taken by such calls",
                tool_name,
                total,
                self._slots.limit,
                extra={"tool_name": tool_name, "event": "abandoned"},
            )

    def returned(self, tool_name: str) -> None:
        """Count the end of an abandoned call."""
        with self._lock:
            self._abandoned[tool_name] -= 1
            if not self._abandoned[tool_name]:
                del self._abandoned[tool_name]
