"""What an MCP server lists."""

from __future__ import annotations

import json
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
    "skills": "uri",
}
"""List of a server → the key of its definitions that names them, as in MCP and its extension for skills."""

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
    skills: Sequence[JsonObject] = ()
    capabilities: frozenset[str] | None = None  # paths such as `resources.subscribe`; None: not known
    about: JsonObject | None = None  # title, icons and the like of the server; None: not known
    whole: Sequence[Any] = ()  # all that is listed as tools, also what has no name

    @property
    def label(self) -> str:
        """Return name and version, as messages show them."""
        return quoted(f"{self.name} {self.version}".strip())


def announced(capabilities: Mapping[str, Any], before: str = "") -> frozenset[str]:
    """Return what a server announces in its capabilities, `{"tools": {"listChanged": true}}`, as paths.

    A value that is neither true nor an object follows its path.
    """
    found: set[str] = set()
    for key, value in capabilities.items():
        if value is None or value is False:
            continue
        if isinstance(value, Mapping) and before.count(".") < _MAX_DEPTH:
            found |= {before + key, *announced(value, f"{before}{key}.")}
        else:
            found.add(before + key + ("" if value is True else f" = {json.dumps(value, sort_keys=True)}"))
    return frozenset(found)


def named(listed: Sequence[Any], key: str) -> list[JsonObject]:
    """Return the definitions with a name in the list `key` of a server: nobody can use the others."""
    return [each for each in listed if isinstance(each, dict) and isinstance(each.get(LISTS[key]), str)]


def refuse_unnamed(listed: Any, key: str, source: str) -> None:
    """Raise `SourceError` if something in the list `key` of a source is not a definition with a name."""
    if not isinstance(listed, list) or len(named(listed, key)) < len(listed):
        raise SourceError(f"{source}: `{key}` must be a list of definitions, each with `{LISTS[key]}`")
