"""The catalog of a shop with one tool, as toolgen would generate it."""

from __future__ import annotations

from typing import Any, Final

from toolgen.runtime import BaseTool, ToolDefinition

ECHO: Final[ToolDefinition] = {
    "name": "echo",
    "py_name": "echo",
    "class_name": "EchoTool",
    "description": "Give back what came.",
    "input_schema": {"type": "object"},
}
TOOLS: Final = {"echo": ECHO}


class EchoTool(BaseTool[Any, Any]):
    """Gives back what came."""

    definition = ECHO


def tool_class(name: str) -> type[BaseTool[Any, Any]]:
    """Return the class of the only tool."""
    assert name == "echo"
    return EchoTool
