"""The runtime of generated code: tools, toolkits and the one call path that every adapter shares.

Importing this package is cheap: each name is loaded when it is first used, pydantic and jsonschema-rs with
the first tool.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adapters.request_types import (
        AnthropicTool,
        AnthropicToolSearch,
        BedrockToolConfig,
        GeminiFunctionDeclaration,
        GeminiTool,
        OpenAIChatTool,
        OpenAINamespace,
        OpenAIResponsesTool,
        OpenAIToolSearch,
    )
    from .checkpoint import Checkpoint, CheckpointError
    from .confirmation.question import Approval, Confirmation, ConfirmationPending
    from .content.block import Block
    from .content.values import Audio, File, Image, Link, Text, ToolResult
    from .context import ToolConfig, ToolContext, ToolEvent
    from .definition.check import ToolSpecError
    from .definition.tool_definition import ToolDefinition
    from .definition.tool_definitions import ProviderVariant, ToolDefinitions
    from .errors import ChangedSinceConfirmedError, ToolError
    from .execution.readiness import SetupContext
    from .response import ResponseForm, ToolResponse
    from .text import printable
    from .tool import BaseTool
    from .tool_spec import ToolParam, ToolReturn, ToolSpec
    from .toolkit import Toolkit

__all__ = [
    "AnthropicTool",
    "AnthropicToolSearch",
    "Approval",
    "Audio",
    "BaseTool",
    "BedrockToolConfig",
    "Block",
    "ChangedSinceConfirmedError",
    "Checkpoint",
    "CheckpointError",
    "Confirmation",
    "ConfirmationPending",
    "File",
    "GeminiFunctionDeclaration",
    "GeminiTool",
    "Image",
    "Link",
    "OpenAIChatTool",
    "OpenAINamespace",
    "OpenAIResponsesTool",
    "OpenAIToolSearch",
    "ProviderVariant",
    "ResponseForm",
    "SetupContext",
    "Text",
    "ToolConfig",
    "ToolContext",
    "ToolDefinition",
    "ToolDefinitions",
    "ToolError",
    "ToolEvent",
    "ToolParam",
    "ToolResponse",
    "ToolResult",
    "ToolReturn",
    "ToolSpec",
    "ToolSpecError",
    "Toolkit",
    "printable",
]

_HOMES = {
    "AnthropicTool": "adapters.request_types",
    "AnthropicToolSearch": "adapters.request_types",
    "Approval": "confirmation.question",
    "Audio": "content.values",
    "BaseTool": "tool",
    "BedrockToolConfig": "adapters.request_types",
    "Block": "content.block",
    "ChangedSinceConfirmedError": "errors",
    "Checkpoint": "checkpoint",
    "CheckpointError": "checkpoint",
    "Confirmation": "confirmation.question",
    "ConfirmationPending": "confirmation.question",
    "File": "content.values",
    "GeminiFunctionDeclaration": "adapters.request_types",
    "GeminiTool": "adapters.request_types",
    "Image": "content.values",
    "Link": "content.values",
    "OpenAIChatTool": "adapters.request_types",
    "OpenAINamespace": "adapters.request_types",
    "OpenAIResponsesTool": "adapters.request_types",
    "OpenAIToolSearch": "adapters.request_types",
    "ProviderVariant": "definition.tool_definitions",
    "ResponseForm": "response",
    "SetupContext": "execution.readiness",
    "Text": "content.values",
    "ToolConfig": "context",
    "ToolContext": "context",
    "ToolDefinition": "definition.tool_definition",
    "ToolDefinitions": "definition.tool_definitions",
    "ToolError": "errors",
    "ToolEvent": "context",
    "ToolParam": "tool_spec",
    "ToolResponse": "response",
    "ToolResult": "content.values",
    "ToolReturn": "tool_spec",
    "ToolSpec": "tool_spec",
    "ToolSpecError": "definition.check",
    "Toolkit": "toolkit",
    "printable": "text",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
