"""Does the `ask` of an example find its tool: what a search among all tools of the project finds for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolgen.language.program import ProgramTool
from toolgen.language.source import Span
from toolgen.runtime.tool_search import SearchedTool, ToolSearch

FIRST: Final = 5
"""A tool must be among so many that are found first, as many as searches of tools give a model."""


MAX_ASKS: Final = 10_000
"""Further ones are not searched: each takes a millisecond or two among 5,000 tools."""


@dataclass(frozen=True, slots=True)
class SearchedAsk:
    """The `ask` of an example, and the names of the tools that are found first for it, the best first."""

    tool: str
    ask: str
    found: tuple[str, ...]
    place: Span

    @property
    def ahead(self) -> tuple[str, ...]:
        """The tools that are found before the right one; all, if that is not found."""
        return self.found[: self.found.index(self.tool)] if self.is_found else self.found

    @property
    def is_found(self) -> bool:
        """True if the right tool is among those that are found first."""
        return self.tool in self.found


def search_asks(tools: Sequence[ProgramTool], *, among: Iterable[SearchedTool] = ()) -> list[SearchedAsk]:
    """Search the tools, and those of `among`, for the `ask` of each example, at most `MAX_ASKS`.

    Raises `SearchUnavailableError` where SQLite has no FTS5.
    """
    asked = [
        (tool, index, example.ask)
        for tool in tools
        for index, example in enumerate(tool.spec.examples)
        if example.ask is not None
    ][:MAX_ASKS]
    if not asked:
        return []
    with ToolSearch([*map(searched_spec, tools), *among]) as search:
        return [
            SearchedAsk(
                tool.spec.name,
                ask,
                tuple(search.find(ask, FIRST)),
                tool.source.value(("examples", index, "ask")),
            )
            for tool, index, ask in asked
        ]


def searched_spec(tool: ProgramTool) -> SearchedTool:
    """Return the texts of a spec that are searched."""
    spec = tool.spec
    texts = (spec.description, spec.use_when, spec.avoid_when, spec.returns)
    return SearchedTool(spec.name, "\n".join(filter(None, texts)), tool.input_schema, title=spec.title)
