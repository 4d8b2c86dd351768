"""Names and schemas under which targets publish tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.definition.tool_definitions import ToolDefinitions
from toolgen.schema.dialects.publish import publish
from toolgen.schema.dialects.published import Published


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
    return publish(target, definition["input_schema"], options(definition, target).get("strict"))


def generated_variants(
    definitions: Mapping[str, ToolDefinition], target: str
) -> Iterator[tuple[str, ToolDefinition, Published]]:
    """Yield published name, definition and published schema of every tool, as they were generated."""
    for wire_name, definition in definitions.items():
        if not isinstance(definitions, ToolDefinitions):  # of a catalog that a user's own template printed
            yield published_name(definition, target), definition, published(definition, target)
            continue
        variant = definitions.variant(wire_name, target)
        schema = variant.get("input_schema", definition["input_schema"])
        yield published_name(definition, target), definition, Published(schema, variant.get("strict", False))


def wire_names(definitions: Mapping[str, ToolDefinition], target: str) -> dict[str, str]:
    """Return published name → wire name. Raises ValueError if two tools have the same published name."""
    names: dict[str, str] = {}
    for wire_name, definition in definitions.items():
        name = published_name(definition, target)
        other = names.setdefault(name, wire_name)
        if other != wire_name:
            raise ValueError(f"{other} and {wire_name} are both published as {name!r}")
    return names
