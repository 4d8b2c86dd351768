"""Worker processes on one processor each, so that their children do not overload the machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from types import TracebackType
from typing import TypeVar

from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.planted import plant

Job = TypeVar("Job")
Result = TypeVar("Result")


class Workers:
    """A pool with one process per processor."""

    def __init__(self, count: int | None = None) -> None:
        processors = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
        self.count = count or len(processors)
        context = get_context("spawn")
        numbers = context.Queue()
        for number in range(self.count):
            numbers.put(processors[number % len(processors)])
        self._pool = ProcessPoolExecutor(self.count, context, _start, (numbers,))

    def map(self, work: Callable[[Job], Result], jobs: Sequence[Job], deadline: Deadline) -> Iterator[Result]:
        """Yield results as they arrive; start no job after the deadline."""
        waiting = list(reversed(jobs))
        running: set[Future[Result]] = set()
        while running or (waiting and not deadline.is_over):
            while waiting and len(running) < self.count and not deadline.is_over:
                running.add(self._pool.submit(work, waiting.pop()))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for each in done:
                yield each.result()

    def search(
        self,
        attempt: Callable[[Job], Tally],
        jobs: Iterator[Job],
        deadline: Deadline,
        key: Callable[[Finding], object] = lambda found: found.kind,
    ) -> Tally:
        """Try jobs until the deadline, or until something is found; return one finding for each `key`."""
        tally = Tally()
        while not deadline.is_over and not tally.findings:
            for each in self.map(attempt, list(islice(jobs, 4 * self.count)), deadline):
                tally.add(each)
        tally.findings = [*{key(each): each for each in tally.findings}.values()]
        return tally

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


def _start(numbers: object) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {numbers.get()})  # type: ignore[attr-defined]
    plant()
