"""The tools of an MCP server: found by their published names, and listed in pages."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolgen.runtime.adapters.published_tools import wire_names
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.toolkit import Toolkit
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema

from .auth.grant import scopes_of
from .held_questions import is_modern
from .listed_tool import TARGET, for_handshake_era, has_output_schema, served_tools
from .result import StructuredForm

Tools = list[dict[str, Any]]

MIRRORS: Final = '"x-mcp-header"'  # keyword of an argument that is also sent as a header


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool that clients call by its published name."""

    definition: ToolDefinition
    is_wrapped: bool  # for old clients, the output is the property of an object
    mirrored_schema: Mapping[str, Any] | None  # None: no argument is also sent as a header

    @property
    def has_output_schema(self) -> bool:
        """True if its results have structured content."""
        return has_output_schema(self.definition)

    def form_for(self, context: ServerRequestContext[Any, Any]) -> StructuredForm:
        """Return the form of its structured content for the client of a request."""
        # structured content belongs to an output schema: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content
        if not self.has_output_schema:
            return "none"
        return "wrapped" if self.is_wrapped and not is_modern(context) else "unwrapped"


class ToolList:
    """The current tools of a toolkit, as MCP publishes them.

    Raises ValueError if two tools have the same published name.
    """

    def __init__(self, toolkit: Toolkit) -> None:
        self._toolkit = toolkit
        self._called: dict[str, McpTool] = {}  # the tools that have been called, by published name
        self._publish(toolkit.definitions)

    def _publish(self, definitions: Mapping[str, ToolDefinition]) -> None:
        self._names = wire_names(definitions, TARGET)
        self._modern = served_tools(definitions)
        self._handshake = for_handshake_era(self._modern)
        self._wrapped = {
            name
            for name, tool in zip(definitions, self._modern, strict=True)
            if "outputSchema" in tool and not is_object_schema(SchemaDocument(tool["outputSchema"]))
        }
        self._needed = [scopes_of(definition) for definition in definitions.values()]
        self._scopes = frozenset[str]().union(*self._needed)  # that any tool needs
        self._listed = definitions

    def _refresh(self) -> None:
        definitions = self._toolkit.definitions
        # a toolkit replaces its definitions as a whole, so that identity is enough
        if definitions is self._listed:
            return
        self._called.clear()
        try:
            self._publish(definitions)
        except ValueError as error:  # a tool was added that cannot be published
            LOGGER.error("the list of tools stays as it was: %s", error)
            self._listed = definitions

    @property
    def scopes(self) -> list[str]:
        """The scopes that tools need, sorted. If there are any, callers may see different lists."""
        self._refresh()
        return sorted(self._scopes)

    def all(self, modern: bool, granted: frozenset[str] | None = None) -> Tools:
        """Return the current list: the tools that the scopes `granted` allow, or all if it is None."""
        self._refresh()
        tools = self._modern if modern else self._handshake
        if granted is None or self._scopes <= granted:
            return tools
        return [tool for tool, needed in zip(tools, self._needed, strict=True) if needed <= granted]

    def page(self, modern: bool, cursor: str | None, granted: frozenset[str] | None = None) -> dict[str, Any]:
        """Return `tools` and `nextCursor` of one page of the list that `all` returns.

        A cursor contains the name of the last tool of its page, so that no tool is skipped while others are
        added. Raises MCPError for a cursor whose tool is not in the list.
        """
        tools, size = self.all(modern, granted), self._toolkit.settings.page_size
        start = 0 if cursor is None else _index_after(tools, cursor)
        page = tools[start : start + size]
        if start + size >= len(tools):
            return {"tools": page}
        return {"tools": page, "nextCursor": urlsafe_b64encode(page[-1]["name"].encode()).decode()}

    def wire_name(self, published: str) -> str:
        """Return the wire name of a published name; an unknown name unchanged."""
        self._refresh()
        return self._names.get(published, published)

    def find(self, published: str) -> McpTool | None:
        """Return the tool with a published name or an alias; None if there is none."""
        wire_name = self.wire_name(published)
        tool = self._called.get(published)
        if tool is None:
            definition = self._toolkit.definition_of(wire_name)
            if definition is None:
                return None
            tool = self._called[published] = self._published(definition)
        return tool

    def of(self, wire_name: str) -> McpTool | None:
        """Return the tool with a wire name; None if there is none."""
        definition = self._toolkit.definition_of(wire_name)
        return None if definition is None else self._published(definition)

    def _published(self, definition: ToolDefinition) -> McpTool:
        schema = definition["input_schema"]
        mirrored_schema = schema if MIRRORS in json.dumps(schema) else None
        return McpTool(definition, definition["name"] in self._wrapped, mirrored_schema)

    def mirrored_schema(self, published: str) -> Mapping[str, Any] | None:
        """Return the input schema of a tool if some of its arguments are also sent as headers.

        None for all others, so that the SDK does not search their schemas for such arguments in every call.
        """
        tool = self.find(published)
        return None if tool is None else tool.mirrored_schema


def _index_after(tools: Tools, cursor: str) -> int:
    with suppress(ValueError):
        last = urlsafe_b64decode(cursor).decode()
        for index, tool in enumerate(tools):
            if tool["name"] == last:
                return index + 1
    # https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination#error-handling
    raise MCPError(code=types.INVALID_PARAMS, message="Invalid cursor: list the tools from the start")
