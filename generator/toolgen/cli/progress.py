"""Progress on a terminal: while a project is built, and while tools are imported."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from toolgen.cli.output import say, show_status
from toolgen.compile.incremental import CompileBatch, Encoded
from toolgen.language.diagnostic import Progress
from toolgen.project.building.project_build import OutputPlan, plan
from toolgen.project.building.worker_pool import worker_pool
from toolgen.project.cache.entries import cache_folder, user_cache
from toolgen.project.inputs.specs import ReadProject

_SILENT = 1.0  # seconds before the first word


def plan_output(read: ReadProject) -> OutputPlan:
    """Return what `generate` would do, with the user's cache, unless others may write to it."""
    cache = user_cache()
    # said, because every run is slow without it
    if not cache.trusted:
        say(f"toolgen: the cache is not used, others may write to it: {cache_folder()}", always=True)
    return plan(read, cache, _worker_pool_with_progress)


def _worker_pool_with_progress(compile_batch: CompileBatch, paths: Sequence[str]) -> Iterator[Encoded]:
    """Run the worker pool; on a terminal, show how many specs are compiled."""
    done = 0
    with progress_line() as report:
        for batch in worker_pool(compile_batch, paths):
            done += len(batch or ())
            report("making tools", min(done, len(paths)), len(paths))
            yield batch


@contextmanager
def progress_line() -> Iterator[Progress]:
    """Give a function that shows on a terminal how far the work is; elsewhere, it shows nothing."""
    after = time.monotonic() + _SILENT if sys.stderr.isatty() else float("inf")
    shown = False

    def report(work: str, done: int, total: int) -> None:
        nonlocal shown
        if done < total and time.monotonic() > after:
            show_status(f"{work}: {done} of {total}")
            shown = True
        elif shown:  # other lines may follow
            show_status()
            shown = False

    try:
        yield report
    finally:
        if shown:
            show_status()  # leave the line as it was found
