"""What `tools/list` says: the definitions, key for key, in the protocol's words. No SDK needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolgen.runtime.adapters.naming import options, published_name
from toolgen.runtime.definition import ToolDefinition

TARGET: Final = "mcp"


def mcp_tools(definitions: Mapping[str, ToolDefinition]) -> list[dict[str, Any]]:
    """The `tools` of a `tools/list` result, in the order of `definitions`."""
    return [_tool(definition) for definition in definitions.values()]


def for_handshake_era(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The list for clients up to 2025-11-25, which refuse all of it over one output that is not an object."""
    return [
        {key: value for key, value in tool.items() if key != "outputSchema" or is_object_schema(value)}
        for tool in tools
    ]


def is_object_schema(schema: Mapping[str, Any]) -> bool:
    """Whether a schema says at its root, in the one way that old clients read, that it is an object's."""
    return schema.get("type") == "object"


def _tool(definition: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": published_name(definition, TARGET)}
    if "title" in definition:
        tool["title"] = definition["title"]
    tool["description"] = definition["description"]
    tool["inputSchema"] = definition["input_schema"]
    if "output_schema" in definition:
        tool["outputSchema"] = definition["output_schema"]
    annotations = dict(definition.get("annotations", {}))
    if "title" in definition and options(definition, TARGET).get("annotations_title", True):
        annotations.setdefault("title", definition["title"])
    if annotations:
        tool["annotations"] = annotations
    if icons := definition.get("icons"):
        tool["icons"] = list(icons)
    if meta := definition.get("meta"):
        tool["_meta"] = meta
    return tool
