"""Search the tools of a project."""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.language.lint.asks import searched_spec
from toolgen.project.building.project_build import program_of, read_inputs
from toolgen.project.errors import UnableError
from toolgen.runtime.tool_search import SearchUnavailableError, ToolSearch


@dataclass(frozen=True, slots=True)
class FoundSpec:
    """A tool of the project that a search has found."""

    name: str
    score: float
    summary: str  # the first line of its description


def search_project(start: str, text: str, limit: int) -> list[FoundSpec]:
    """Return the tools of the project at or above `start` for what a user says, the best first.

    Raises `SpecErrors`, or `UnableError`, also where SQLite cannot search.
    """
    tools = {tool.spec.name: tool for tool in program_of(read_inputs(start)).tools}
    try:
        with ToolSearch(map(searched_spec, tools.values())) as search:
            found = search.find(text, limit)
    except SearchUnavailableError as error:
        raise no_search(error) from error
    return [FoundSpec(name, score, _summary(tools[name].spec.description)) for name, score in found.items()]


def no_search(error: SearchUnavailableError) -> UnableError:
    """Return the error to report where SQLite cannot search."""
    return UnableError("no-search", str(error), "use a Python whose SQLite has FTS5, as that of python.org")


def _summary(description: str) -> str:
    return next((line.strip() for line in description.splitlines() if line.strip()), "")
