"""The runtime of generated code: tools, toolkits and the one call path that every adapter shares.

Importing this package is cheap: each name is loaded when it is first used, pydantic and jsonschema-rs with
the first tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.base.lazy_names import lazy_names

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
    from .background.task import Task, TaskStatus
    from .checkpoint import Checkpoint, CheckpointError
    from .confirmation.question import Approval, Confirmation, ConfirmationPending
    from .content.block import Block
    from .content.values import Audio, File, Image, Link, Text, ToolResult
    from .context import ToolConfig, ToolContext, ToolEvent
    from .definition.check import ToolSpecError
    from .definition.tool_definition import ToolDefinition
    from .definition.tool_definitions import ToolDefinitions
    from .elicitation import AcceptedElicitation, Elicitation, ElicitationResult, RefusedElicitation
    from .errors import ChangedSinceConfirmedError, ToolError
    from .execution.readiness import SetupContext
    from .response import ResponseForm, ToolResponse
    from .text import printable
    from .tool import BaseTool
    from .tool_spec import ToolParam, ToolReturn, ToolSpec
    from .toolkit import Toolkit

__all__ = [
    "AcceptedElicitation",
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
    "Elicitation",
    "ElicitationResult",
    "File",
    "GeminiFunctionDeclaration",
    "GeminiTool",
    "Image",
    "Link",
    "OpenAIChatTool",
    "OpenAINamespace",
    "OpenAIResponsesTool",
    "OpenAIToolSearch",
    "RefusedElicitation",
    "ResponseForm",
    "SetupContext",
    "Task",
    "TaskStatus",
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

_NAMES = {
    "adapters.request_types": (
        "AnthropicTool",
        "AnthropicToolSearch",
        "BedrockToolConfig",
        "GeminiFunctionDeclaration",
        "GeminiTool",
        "OpenAIChatTool",
        "OpenAINamespace",
        "OpenAIResponsesTool",
        "OpenAIToolSearch",
    ),
    "background.task": ("Task", "TaskStatus"),
    "checkpoint": ("Checkpoint", "CheckpointError"),
    "confirmation.question": ("Approval", "Confirmation", "ConfirmationPending"),
    "content.block": ("Block",),
    "content.values": ("Audio", "File", "Image", "Link", "Text", "ToolResult"),
    "context": ("ToolConfig", "ToolContext", "ToolEvent"),
    "definition.check": ("ToolSpecError",),
    "definition.tool_definition": ("ToolDefinition",),
    "definition.tool_definitions": ("ToolDefinitions",),
    "elicitation": ("AcceptedElicitation", "Elicitation", "ElicitationResult", "RefusedElicitation"),
    "errors": ("ChangedSinceConfirmedError", "ToolError"),
    "execution.readiness": ("SetupContext",),
    "response": ("ResponseForm", "ToolResponse"),
    "text": ("printable",),
    "tool": ("BaseTool",),
    "tool_spec": ("ToolParam", "ToolReturn", "ToolSpec"),
    "toolkit": ("Toolkit",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
