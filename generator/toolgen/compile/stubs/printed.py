"""Stubs as text: types that several tools use first, then each tool with the types that it alone uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from toolgen.compile.models.model_classes import reachable
from toolgen.compile.stubs import python, typescript
from toolgen.compile.stubs.catalogue import PYTHON_WORDS, CatalogueTypes, ToolTypes, catalogue_types
from toolgen.runtime.definition.tool_definition import ToolDefinition


@dataclass(frozen=True, slots=True)
class PrintedStubs:
    """The parts of a text, of which each ends in an empty line."""

    header: str  # imports; may be empty
    shared: str  # types that several tools use; may be empty
    tools: Mapping[str, str]  # by wire name

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n".join(part for part in (self.header, self.shared, *self.tools.values()) if part)


@dataclass(frozen=True, slots=True)
class _Language:
    types: Callable[[CatalogueTypes], Mapping[str, str]]  # definitions by name
    function: Callable[[ToolTypes], str]
    header: Callable[[str], str]  # what a text needs before it
    words: Set[str]  # that no function can be called


_LANGUAGES: Final[Mapping[str, _Language]] = {
    "python": _Language(python.type_definitions, python.function, python.imports_of, PYTHON_WORDS),
    "typescript": _Language(typescript.type_definitions, typescript.function, lambda _: "", typescript.WORDS),
}


def print_stubs(
    definitions: Iterable[ToolDefinition],
    language: str = "python",
    functions: Mapping[str, str] | None = None,
) -> PrintedStubs:
    """Return the stubs of tools in a language: `python` or `typescript`.

    `functions` has the names of their functions by wire name, if they are chosen already.
    """
    printer = _LANGUAGES[language]
    catalogue = catalogue_types(definitions, printer.words, functions)
    types = printer.types(catalogue)
    used = {tool.name: reachable(catalogue.types, tool.classes()) for tool in catalogue.tools}
    counts = Counter(name for names in used.values() for name in names)
    own = {
        tool.name: [types[name] for name in types if name in used[tool.name] and counts[name] == 1]
        for tool in catalogue.tools
    }
    shared = "\n".join(text for name, text in types.items() if counts[name] > 1)
    tools = {tool.name: "\n".join([*own[tool.name], printer.function(tool)]) for tool in catalogue.tools}
    header = printer.header("".join([shared, *tools.values()]))
    return PrintedStubs(header, shared, tools)
