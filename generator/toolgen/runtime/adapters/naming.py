"""Names that a target publishes, and the tools they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.runtime.definition import ToolDefinition


def options(definition: ToolDefinition, target: str) -> Mapping[str, Any]:
    """What the spec tells only this target."""
    found: Mapping[str, Any] = definition.get("targets", {}).get(target, {})
    return found


def published_name(definition: ToolDefinition, target: str) -> str:
    """The tool's own name, unless the spec gives this target another."""
    name: str = options(definition, target).get("name") or definition["name"]
    return name


def wire_names(definitions: Mapping[str, ToolDefinition], target: str) -> dict[str, str]:
    """Published name → wire name. Raises ValueError where two tools are published by one name."""
    names: dict[str, str] = {}
    for wire_name, definition in definitions.items():
        published = published_name(definition, target)
        other = names.setdefault(published, wire_name)
        if other != wire_name:
            raise ValueError(f"{other} and {wire_name} are both published as {published!r}")
    return names
