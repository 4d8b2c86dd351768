"""Build a project, with progress on a terminal while many specs are compiled."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from toolgen.building.project_build import OutputPlan, plan, user_cache
from toolgen.building.worker_pool import worker_pool
from toolgen.cli.output import say, show_status
from toolgen.incremental import CompileBatch, Encoded
from toolgen.project import ReadProject, cache_folder

_SILENT = 1.0  # seconds before the first word


def plan_output(read: ReadProject) -> OutputPlan:
    """Return what `generate` would do, with the user's cache, unless others may write to it."""
    cache = user_cache()
    # said, because every run is slow without it
    if not cache.trusted:
        say(f"toolgen: the cache is not used, others may write to it: {cache_folder()}")
    return plan(read, cache, _worker_pool_with_progress)


def _worker_pool_with_progress(compile_batch: CompileBatch, paths: Sequence[str]) -> Iterator[Encoded]:
    """Run the worker pool and show on a terminal how many specs are compiled."""
    return counted(worker_pool(compile_batch, paths), len(paths))


def counted(batches: Iterable[Encoded], total: int) -> Iterator[Encoded]:
    """Yield `batches`; on a terminal, show how many specs of `total` they are."""
    after = time.monotonic() + _SILENT if sys.stderr.isatty() else float("inf")
    done, shown = 0, False
    try:
        for batch in batches:
            done += len(batch or ())
            if time.monotonic() > after:
                show_status(f"making tools: {min(done, total)} of {total}")
                shown = True
            yield batch
    finally:
        if shown:
            show_status()  # leave the line as it was found
