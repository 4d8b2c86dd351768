"""Names and schemas under which targets publish tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.schema.dialects.publish import publish
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import SchemaDocument


def options(definition: ToolDefinition, target: str) -> Mapping[str, Any]:
    """Return the options of the spec for one target."""
    found: Mapping[str, Any] = definition.get("targets", {}).get(target, {})
    return found


def published_name(definition: ToolDefinition, target: str) -> str:
    """Return the name in the spec for this target, by default the tool's own name."""
    name: str = options(definition, target).get("name") or definition["name"]
    return name


def published(definition: ToolDefinition, target: str) -> Published:
    """Return the input schema in the dialect of `target`."""
    return publish(
        target, SchemaDocument(definition["input_schema"]), options(definition, target).get("strict")
    )


def wire_names(definitions: Mapping[str, ToolDefinition], target: str) -> dict[str, str]:
    """Return published name → wire name. Raises ValueError if two tools have the same published name."""
    names: dict[str, str] = {}
    for wire_name, definition in definitions.items():
        name = published_name(definition, target)
        other = names.setdefault(name, wire_name)
        if other != wire_name:
            raise ValueError(f"{other} and {wire_name} are both published as {name!r}")
    return names
