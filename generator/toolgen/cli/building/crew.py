"""Work shared among processes: forked, because a fork has everything imported and costs next to nothing.

By hand and not by `concurrent.futures`: its pool cannot be told to end what it is doing, takes as long to
interrupt as its longest task, and its workers wait for ever where this process is killed.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from toolgen.incremental import Made
from toolgen.project.interrupts import ignore_interrupts, uninterrupted

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

Make = Callable[[Sequence[str]], Made]

_MOST = 100  # specs at a time: enough to make a formatter's start cheap, few enough to show progress
_FEW = 24  # specs that one process does sooner than two


def crew(make: Make, paths: Sequence[str]) -> Iterator[Made]:
    """`make` with all `paths`, some at a time: on all processors, where there is enough to do."""
    workers = min(_processors(), len(paths) * 2 // _FEW)
    size = max(1, min(_MOST, -(-len(paths) // max(1, workers))))
    parts = [paths[start : start + size] for start in range(0, len(paths), size)]
    if workers < 2 or not _can_fork():
        for number, part in enumerate(parts):
            if number:
                gc.collect()  # the engine leaves much behind
            yield make(part)
        return
    from toolgen.models.engine import load_engine

    load_engine()
    yield from _forked(make, parts, workers)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_fork() -> bool:
    """A process of several threads cannot be copied; nor, with all its system libraries, one of macOS."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _forked(make: Make, parts: Sequence[Sequence[str]], workers: int) -> Iterator[Made]:
    """What a worker fails at is done again here, so that an error is raised where it is shown."""
    from multiprocessing import get_context
    from multiprocessing.connection import wait

    fork = get_context("fork")
    left = set(range(len(parts)))
    processes: list[ForkProcess] = []
    readers: set[Connection] = set()
    gc.freeze()  # what is there now is shared: a collector that looks at it would copy it
    try:
        for number in range(workers):
            mine = {index: parts[index] for index in range(number, len(parts), workers)}
            reader, writer = fork.Pipe(duplex=False)
            process = fork.Process(target=_work, args=(make, mine, writer), daemon=True)
            with uninterrupted():  # ^C in a fork handler is lost, and in the worker's first steps prints
                process.start()
                processes.append(process)
            writer.close()
            readers.add(reader)
        while readers:
            for reader in readers & set(wait(list(readers))):
                try:
                    index, made = reader.recv()
                except (EOFError, OSError):  # it is done, or it died
                    readers.discard(reader)
                    continue
                left.discard(index)
                yield made
    finally:
        with uninterrupted():
            for process in processes:
                process.kill()
            for process in processes:
                process.join()
        gc.unfreeze()
    yield from (make(parts[index]) for index in sorted(left))


def _work(make: Make, mine: dict[int, Sequence[str]], writer: Connection) -> None:
    """All of a worker's life."""
    try:
        ignore_interrupts()  # ^C is for the parent, which ends us
        threading.Thread(target=_end_with_parent, daemon=True).start()
        gc.disable()
        for index, part in mine.items():
            writer.send((index, make(part)))
            gc.collect()  # what the engine leaves behind, and nothing older
            gc.freeze()
    finally:
        os._exit(0)  # whatever went wrong: the parent finds out by itself


def _end_with_parent() -> None:
    """Work that nobody waits for ends at once; also where the parent was killed and could not say so."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    if parent := parent_process():
        wait([parent.sentinel])
    os._exit(0)
