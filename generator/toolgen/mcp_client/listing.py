"""What an MCP server lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.importers.imported_tool import SourceError
from toolgen.schema.document import JsonObject
from toolgen.suggestions import quoted

LISTS: Final[Mapping[str, str]] = {
    "tools": "name",
    "resources": "uri",
    "resource_templates": "uriTemplate",
    "prompts": "name",
}
"""List of a server → the key of its definitions that names them, as in MCP."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server says of itself, and all that it lists, each definition with all its keys."""

    name: str
    version: str
    instructions: str  # empty: none
    tools: Sequence[JsonObject]
    resources: Sequence[JsonObject] = ()
    resource_templates: Sequence[JsonObject] = ()
    prompts: Sequence[JsonObject] = ()
    announced: Sequence[str] = ()  # capabilities besides tools, such as "resources.subscribe"; not in a lock

    @property
    def label(self) -> str:
        """Return name and version, as messages show them."""
        return quoted(f"{self.name} {self.version}".strip(), 80)


def refuse_unnamed(listed: Any, key: str, source: str) -> None:
    """Raise `SourceError` if something in the list `key` of a source is not a definition with a name."""
    by = LISTS[key]
    if not isinstance(listed, list) or not all(
        isinstance(each, dict) and isinstance(each.get(by), str) for each in listed
    ):
        raise SourceError(f"{source}: `{key}` must be a list of definitions, each with `{by}`")


def announced(capabilities: Any) -> list[str]:
    """Return what a server's capabilities (`mcp_types.ServerCapabilities`) announce besides tools."""
    found: dict[str, Any] = capabilities.model_dump(by_alias=True, exclude_none=True)
    flags = (("prompts", "listChanged"), ("resources", "listChanged"), ("resources", "subscribe"))
    kinds = [key for key in ("completions", "prompts", "resources") if key in found]
    return sorted([*kinds, *(f"{key}.{flag}" for key, flag in flags if found.get(key, {}).get(flag))])
