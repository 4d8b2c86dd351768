"""Plan the output of a project, and show on a terminal how many specs are compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgen.cli.output import progress_line, say
from toolgen.compile.incremental import CompileBatch, Encoded
from toolgen.project.building.project_build import OutputPlan, plan
from toolgen.project.building.worker_pool import worker_pool
from toolgen.project.cache.entries import cache_folder, user_cache
from toolgen.project.inputs.specs import ReadProject


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
    with progress_line("making tools", ticks=False) as report:
        for batch in worker_pool(compile_batch, paths):
            done += len(batch or ())
            report("making tools", min(done, len(paths)), len(paths))
            yield batch
