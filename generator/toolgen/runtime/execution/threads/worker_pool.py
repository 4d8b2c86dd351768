"""A bounded pool of threads for synchronous (`def`) tools, and bounded queues for calls that have to wait.

The event loop's default executor is left to the application, so that a blocking tool does not delay DNS
look-ups. Threads are daemons, so that a tool that never returns does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final

from toolgen.runtime.errors import OverloadedError
from toolgen.runtime.instrumentation.conventions import QUEUE_DEPTH
from toolgen.runtime.instrumentation.metrics import current_metrics, observe
from toolgen.runtime.logs.logger import LOGGER

IDLE_SECONDS: Final = 10.0  # after which an idle thread ends
WAIT_SECONDS: Final = 30.0  # that a call waits for a slot; clients give up after 60 by default
_LONGEST_RETRY: Final = 60  # seconds


@dataclass(slots=True, eq=False)
class _Waiter:
    """A task that waits for a slot, in its own event loop."""

    tool_name: str
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[None]
    granted: bool = False

    def wake(self) -> None:
        # cancelled or timed out meanwhile: `_granted` hands the slot over
        if not self.future.done():
            self.future.set_result(None)


class Limiter:
    """A number of slots for calls, and a bounded queue for those that wait for one.

    Safe to use from several event loops and threads.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()  # slots by tool
        self._total = 0  # of `_taken`
        self._waiting: deque[_Waiter] = deque()
        self._seconds = 1.0  # moving average of how long a slot was taken
        observe(QUEUE_DEPTH, self, Limiter._count_waiting)

    async def acquire(self, tool_name: str, queue: int, *, busy: str) -> float:
        """Take a slot; wait for one if none is free. Return the time when it was taken.

        Raises OverloadedError with the message `busy` if the queue has no place left, or no slot was free
        for WAIT_SECONDS. A task that is cancelled leaves the queue.
        """
        with self._lock:
            if self._has_slot(tool_name):
                self._take(tool_name)
                return monotonic()
            # under the lock of the check: a slot that is freed after it must find this task in the queue
            waiter = self._enqueue(tool_name, queue, busy)
        began = monotonic()
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._granted(waiter)
        except TimeoutError:
            raise self._overloaded(busy) from None
        finally:
            if (metrics := current_metrics()) is not None:
                metrics.record_wait(tool_name, monotonic() - began)
        return monotonic()

    def release(self, tool_name: str, began: float) -> None:
        """Release a slot that was taken at `began`. The first task in the queue that may take it gets it."""
        with self._lock:
            self._seconds += (monotonic() - began - self._seconds) / 8  # smoothed as in RFC 6298, section 2.3
            self._hand_over(tool_name)

    def _count_waiting(self) -> Mapping[str, float]:
        with self._lock:
            return Counter(each.tool_name for each in self._waiting)

    def _has_slot(self, tool_name: str) -> bool:
        """True if a call of the tool may start."""
        return self._total < self.limit

    def _has_place(self, tool_name: str, queue: int) -> bool:
        """True if a call of the tool may wait, in a queue of `queue` places."""
        return len(self._waiting) < queue

    def _take(self, tool_name: str) -> None:
        self._taken[tool_name] += 1
        self._total += 1

    def _enqueue(self, tool_name: str, queue: int, busy: str) -> _Waiter:
        if not self._has_place(tool_name, queue):  # tasks of an event loop that was closed still have places
            self._waiting = deque(each for each in self._waiting if not each.loop.is_closed())
            if not self._has_place(tool_name, queue):
                raise self._overloaded(busy)
        loop = asyncio.get_running_loop()
        waiter = _Waiter(tool_name, loop, loop.create_future())
        self._waiting.append(waiter)
        return waiter

    async def _granted(self, waiter: _Waiter) -> None:
        """Wait for the slot of `waiter`; give it up if the task is cancelled."""
        try:
            await waiter.future
        except BaseException:
            with self._lock:
                if waiter.granted:  # the slot came in the same turn of the event loop
                    self._hand_over(waiter.tool_name)
                else:
                    self._waiting.remove(waiter)
            raise

    def _hand_over(self, tool_name: str) -> None:
        """Free a slot of a tool, and grant those that are free now."""
        self._total -= 1
        self._taken[tool_name] -= 1
        if not self._taken[tool_name]:
            del self._taken[tool_name]
        # a shared limiter may pass over the first task: its tool has its share
        while waiter := next((each for each in self._waiting if self._has_slot(each.tool_name)), None):
            self._waiting.remove(waiter)
            try:
                waiter.loop.call_soon_threadsafe(waiter.wake)
            except RuntimeError:  # its event loop has been closed
                continue
            waiter.granted = True
            self._take(waiter.tool_name)

    def _overloaded(self, busy: str) -> OverloadedError:
        seconds = self._seconds * (len(self._waiting) + 1) / self.limit
        retry_after = min(_LONGEST_RETRY, max(1, math.ceil(seconds)))
        return OverloadedError(f"{busy}. Try again later.", retry_after=retry_after)


class SharedLimiter(Limiter):
    """Slots that several tools share: no tool can take all of them, or all places in the queue.

    A tool may take a slot while it has fewer slots than are free: one tool gets half of them, a second one
    half of the rest. So slots remain for the other tools, and few are unused. (Choudhury and Hahne, "Dynamic
    Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM Transactions on Networking 6, 1998.)
    """

    def _has_slot(self, tool_name: str) -> bool:
        return self._taken[tool_name] < self.limit - self._total

    def _has_place(self, tool_name: str, queue: int) -> bool:
        taken = sum(each.tool_name == tool_name for each in self._waiting)
        return taken < queue - len(self._waiting)


class Worker:
    """A thread of the pool. The call that has taken it passes its work to `start`."""

    def __init__(self, pool: WorkerPool) -> None:
        self.tool_name, self.began = "", 0.0  # of the call that has taken it
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
                continue  # a call has just taken it
            if work is None:
                return
            try:
                work()
            except BaseException:
                LOGGER.exception("a worker thread failed")
            del work  # its references must not live until the next call
            self._pool.give_back(self)


class WorkerPool:
    """At most `threads` threads, started when needed; at most `queue` calls wait for one.

    Tools share both, so that a tool that hangs leaves threads to the others.
    """

    def __init__(self, threads: int, queue: int) -> None:
        self.queue = queue
        self._slots = SharedLimiter(threads)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._abandoned: Counter[str] = Counter()  # tool → calls that run although their caller does not wait

    async def acquire(self, tool_name: str) -> Worker:
        """Take a thread; wait if none is free. Raises OverloadedError if that takes too long."""
        busy = f"All worker threads that {tool_name} may use are busy"
        began = await self._slots.acquire(tool_name, self.queue, busy=busy)
        try:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            worker = worker or Worker(self)
        except RuntimeError:  # the system cannot start a thread
            self._slots.release(tool_name, began)
            raise OverloadedError("No worker thread could be started.", retry_after=1) from None
        worker.tool_name, worker.began = tool_name, began
        return worker

    def give_back(self, worker: Worker) -> None:
        """Return a thread whose work has ended to the pool."""
        with self._lock:
            self._idle.append(worker)
        self._slots.release(worker.tool_name, worker.began)

    def retire(self, worker: Worker) -> bool:
        """Remove a thread that was idle for IDLE_SECONDS; False if it has just been taken."""
        with self._lock:
            if worker not in self._idle:
                return False
            # under the lock: a call that takes it now would give work to a thread that ends
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
        """Count a call that continues in its thread without its caller. Log it if the number has doubled."""
        with self._lock:
            self._abandoned[tool_name] += 1
            count = self._abandoned[tool_name]
        if count & (count - 1) == 0:  # a power of two
            LOGGER.warning(
                "after a call has ended, tool %s continues in its thread; it takes %d of %d threads",
                tool_name,
                count,
                self._slots.limit,
                extra={"tool_name": tool_name, "event": "abandoned"},
            )

    def returned(self, tool_name: str) -> None:
        """Count the end of an abandoned call."""
        with self._lock:
            self._abandoned[tool_name] -= 1
            if not self._abandoned[tool_name]:
                del self._abandoned[tool_name]
