"""A pool of worker processes for specs: forked, since a fork has everything imported already.

By hand rather than with `concurrent.futures`: its pool cannot cancel a task that runs, so that ^C takes as
long as the longest task; and its workers wait for ever where this process is killed.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from toolgen.project.files.interrupts import ignore_interrupts, uninterrupted

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

_Made = TypeVar("_Made")

_MAX_BATCH = 100  # specs: enough to make a formatter's start cheap, few enough to show progress
_MIN_FOR_TWO_WORKERS = 24  # specs; one process compiles fewer sooner than two


def worker_pool(compile_batch: Callable[[Sequence[str]], _Made], paths: Sequence[str]) -> Iterator[_Made]:
    """Yield what `compile_batch` returns for all paths, in batches: on all processors if that is faster."""
    workers = min(_processors(), len(paths) * 2 // _MIN_FOR_TWO_WORKERS)
    size = max(1, min(_MAX_BATCH, -(-len(paths) // max(1, workers))))
    batches = [paths[start : start + size] for start in range(0, len(paths), size)]
    if workers < 2 or not _can_fork():
        for number, batch in enumerate(batches):
            # not after the last one: the process ends soon
            if number:
                _collect()
            yield compile_batch(batch)
        return
    yield from _in_workers(compile_batch, batches, workers)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_fork() -> bool:
    """False for a process of several threads, and on macOS, whose system libraries do not survive a fork."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _in_workers(
    compile_batch: Callable[[Sequence[str]], _Made], batches: Sequence[Sequence[str]], workers: int
) -> Iterator[_Made]:
    """Yield batches in the order of their completion.

    A batch that a worker fails at is compiled again in this process, where an error is shown.
    """
    from multiprocessing import get_context
    from multiprocessing.connection import wait

    fork = get_context("fork")
    left = set(range(len(batches)))
    processes: list[ForkProcess] = []
    readers: set[Connection] = set()
    gc.freeze()  # what exists now is shared with the workers: a collector that looks at it would copy it
    try:
        for number in range(workers):
            own = {index: batches[index] for index in range(number, len(batches), workers)}
            reader, writer = fork.Pipe(duplex=False)
            process = fork.Process(target=_work, args=(compile_batch, own, writer), daemon=True)
            with uninterrupted():  # ^C in a fork handler is lost, and in the worker's first steps prints
                process.start()
                processes.append(process)
            writer.close()
            readers.add(reader)
        while readers:
            for reader in readers & set(wait(list(readers))):
                try:
                    index, encoded = reader.recv()
                except (EOFError, OSError):  # the worker is done, or died
                    readers.discard(reader)
                    continue
                left.discard(index)
                yield encoded
    finally:
        with uninterrupted():
            for process in processes:
                process.kill()
            for process in processes:
                process.join()
        gc.unfreeze()
    yield from (compile_batch(batches[index]) for index in sorted(left))


def _work(
    compile_batch: Callable[[Sequence[str]], object], own: dict[int, Sequence[str]], writer: Connection
) -> None:
    """Run a worker: compile its own batches, then exit."""
    try:
        ignore_interrupts()  # ^C is for the parent, which ends the workers
        threading.Thread(target=_exit_with_parent, daemon=True).start()
        gc.disable()
        for index, batch in own.items():
            writer.send((index, compile_batch(batch)))
            _collect()
            gc.freeze()
    finally:
        os._exit(0)  # whatever went wrong: the parent sees which batches are missing


def _collect() -> None:
    """Free what the model engine left behind, which is much; nothing else makes garbage."""
    if "datamodel_code_generator" in sys.modules:
        gc.collect()


def _exit_with_parent() -> None:
    """Exit as soon as the parent has gone, also where it was killed and could not say so."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    if parent := parent_process():
        wait([parent.sentinel])
    os._exit(0)
