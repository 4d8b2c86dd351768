"""What an MCP server lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.schema.document import JsonObject
from toolgen.sources.imported_tool import SourceError

LISTS: Final[Mapping[str, str]] = {
    "tools": "name",
    "resources": "uri",
    "resource_templates": "uriTemplate",
    "prompts": "name",
}
"""List of a server → the key of its definitions that names them, as in MCP."""

_MAX_DEPTH: Final = 3  # of what is told apart in capabilities


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
    capabilities: frozenset[str] | None = None  # paths such as `resources.subscribe`; None: not known

    @property
    def label(self) -> str:
        """Return name and version, as messages show them."""
        return quoted(f"{self.name} {self.version}".strip(), 80)


def announced(capabilities: Mapping[str, Any], before: str = "") -> frozenset[str]:
    """Return the paths of what a server announces in its capabilities: `{"tools": {"listChanged": true}}`."""
    found: set[str] = set()
    for key, value in capabilities.items():
        if value is None or value is False:
            continue
        found.add(before + key)
        if isinstance(value, Mapping) and before.count(".") < _MAX_DEPTH:
            found |= announced(value, f"{before}{key}.")
    return frozenset(found)


def refuse_unnamed(listed: Any, key: str, source: str) -> None:
    """Raise `SourceError` if something in the list `key` of a source is not a definition with a name."""
    by = LISTS[key]
    if not isinstance(listed, list) or not all(
        isinstance(each, dict) and isinstance(each.get(by), str) for each in listed
    ):
        raise SourceError(f"{source}: `{key}` must be a list of definitions, each with `{by}`")
