"""A pool of worker processes for specs: forked, since a fork has everything imported already."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from toolgen.project.files.interrupts import ignore_interrupts, uninterrupted

_Made = TypeVar("_Made")
_Batch = Sequence[str]  # paths of specs

_MAX_BATCH = 100  # specs: enough to make a formatter's start cheap, few enough to show progress
_MIN_FOR_TWO_WORKERS = 24  # specs; one process compiles fewer sooner than two

_compile_batch: Callable[[_Batch], Any]  # of a worker: a pool sends only functions of modules


def worker_pool(compile_batch: Callable[[_Batch], _Made], paths: Sequence[str]) -> Iterator[_Made]:
    """Yield what `compile_batch` returns for all paths, in batches: on all processors if that is faster."""
    workers = min(_processors(), len(paths) * 2 // _MIN_FOR_TWO_WORKERS)
    size = max(1, min(_MAX_BATCH, -(-len(paths) // max(1, workers))))
    batches = [paths[start : start + size] for start in range(0, len(paths), size)]
    if workers < 2 or not _can_fork():
        yield from map(compile_batch, batches)
        return
    # the formatter of a worker that is killed may still write
    with tempfile.TemporaryDirectory(prefix="toolgen-", ignore_cleanup_errors=True) as scratch:
        yield from _in_workers(compile_batch, batches, workers, scratch)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_fork() -> bool:
    """False for a process of several threads, and on macOS, whose system libraries do not survive a fork."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _in_workers(
    compile_batch: Callable[[_Batch], _Made], batches: Sequence[_Batch], workers: int, scratch: str
) -> Iterator[_Made]:
    """Yield batches in the order of their completion.

    A batch that a worker fails at is compiled again in this process, where an error is shown.
    """
    # Only projects with many changed specs need these.
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import active_children, get_context

    failed: list[_Batch] = []
    gc.freeze()  # what exists now is shared with the workers: a collector that looks at it would copy it
    others = set(active_children())  # of a program that has called `main`
    pool = ProcessPoolExecutor(workers, get_context("fork"), _prepare, (compile_batch, scratch))
    try:
        with uninterrupted():  # ^C in a worker's first steps prints
            made = {pool.submit(_compile, batch): batch for batch in batches}
        for each in as_completed(made):
            if each.exception() is None:
                yield pickle.loads(each.result().read_bytes())
            else:
                failed.append(made[each])
    finally:
        with uninterrupted():
            for process in set(active_children()) - others:  # the pool would wait for batches that have begun
                process.kill()
            pool.shutdown(cancel_futures=True)
        gc.unfreeze()
    yield from map(compile_batch, failed)


def _prepare(compile_batch: Callable[[_Batch], Any], scratch: str) -> None:
    """Begin a worker. What it leaves in `scratch` when it is killed, its parent removes."""
    global _compile_batch
    ignore_interrupts()  # ^C is for the parent, which ends the workers
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    tempfile.tempdir = scratch
    gc.disable()
    _compile_batch = compile_batch


def _compile(batch: _Batch) -> Path:
    """Return the path of a file with the result, which may be larger than a pipe holds.

    The pool would wait for ever for the rest of a result whose worker is killed while it sends.
    """
    made = Path(tempfile.mkdtemp()) / "batch"
    made.write_bytes(pickle.dumps(_compile_batch(batch)))
    gc.freeze()
    return made


def _exit_with_parent() -> None:
    """Exit as soon as the parent has gone, also where it was killed: a worker would wait for ever."""
    from multiprocessing import connection, parent_process  # workers have loaded it

    if parent := parent_process():
        connection.wait([parent.sentinel])
    os._exit(0)
