"""The short road of `check` and `generate`: where nothing changed, neither imports what reads specs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolgen.data.diagnostic import Diagnostic
from toolgen.project import Cache, cache_folder, fact_key, find_project, fresh, generator_id, read_specs


@dataclass(frozen=True, slots=True)
class Fresh:
    """A project whose output is what the specs say."""

    tools: int
    files: int
    warnings: tuple[Diagnostic, ...]


def look(start: str) -> Fresh | None:
    """What is known of the project at or above `start`, where nothing changed; None: find out."""
    project = find_project(Path(start))
    cache = Cache(cache_folder() / generator_id())
    found = fresh(project, fact_key(project, read_specs(project)), cache)
    if found is None:
        return None
    fact, files = found
    return Fresh(fact.tools, files, fact.warnings)


def warn(known: Fresh, start: str) -> None:
    """Say what was said when the output was made."""
    if known.warnings:
        from toolgen.cli import faults

        faults.show(known.warnings, start, as_json=False)
