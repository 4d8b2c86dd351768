"""The tools of a toolkit as functions of scripts: their names, search, and their descriptions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toolgen.compile.stubs.catalogue import catalogue_types, function_names
from toolgen.compile.stubs.printed import print_stubs
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.tool_search import SearchedTool, ToolSearch


@dataclass(frozen=True)
class Functions:
    """The functions of some definitions."""

    definitions: Mapping[str, ToolDefinition]  # by wire name
    _renamed: dict[str, Mapping[str, str]] = field(default_factory=dict, init=False)  # by wire name

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Return the name of each function by its tool's wire name."""
        return function_names(self.definitions.keys())

    @cached_property
    def tools(self) -> Mapping[str, str]:
        """Return the wire name of each function's tool."""
        return {function: tool for tool, function in self.names.items()}

    @cached_property
    def _search(self) -> ToolSearch:
        return ToolSearch(
            SearchedTool(name, each["description"], each["input_schema"], title=each.get("title"))
            for name, each in self.definitions.items()
        )

    def tool_of(self, name: str) -> str | None:
        """Return the wire name of the tool that a function or a tool is called; None if there is none."""
        return self.tools.get(name, name if name in self.definitions else None)

    def find(self, text: str, limit: int, allowed: Collection[str]) -> dict[str, str]:
        """Return the functions of `allowed` tools for a task, the best first, with the first line of each."""
        found = self._search.find(text, len(self.definitions))
        tools = [name for name in found if name in allowed][:limit]
        return {self.names[tool]: _first_line(self.definitions[tool]) for tool in tools}

    def arguments_of(
        self, tool: str, positional: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return what a call of a function means to its tool.

        Parameters have the names of the stubs, or those on the wire. All in one dict will do. Raises
        TypeError for other positional arguments.
        """
        if len(positional) == 1 and not named and isinstance(positional[0], dict):
            return positional[0]
        if positional:
            raise TypeError(f"{self.names[tool]}() takes keyword arguments only")
        wire = self._parameters(tool)
        return {wire.get(name, name): value for name, value in named.items()}

    def _parameters(self, tool: str) -> Mapping[str, str]:
        """Return the name on the wire of each parameter that is called otherwise."""
        if tool not in self._renamed:
            (types,) = catalogue_types([self.definitions[tool]], functions=self.names).tools
            self._renamed[tool] = {name: wire for wire, name in types.parameters.items() if name != wire}
        return self._renamed[tool]

    def described(self, tools: Collection[str]) -> str:
        """Return the stubs of tools."""
        return print_stubs([self.definitions[tool] for tool in tools], functions=self.names).text

    def close(self) -> None:
        """Free the memory of the search."""
        if "_search" in self.__dict__:
            self._search.close()


def _first_line(definition: ToolDefinition) -> str:
    return next((line.strip() for line in definition["description"].splitlines() if line.strip()), "")
