"""The runtime of generated code: tools, toolkits and the one call path that every adapter shares.

Importing this package is cheap: each name is loaded when it is first used, pydantic and jsonschema-rs with
the first tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from .checkpoint import Checkpoint as Checkpoint
    from .checkpoint import CheckpointError as CheckpointError
    from .confirmation.question import Approval as Approval
    from .confirmation.question import Confirmation as Confirmation
    from .confirmation.question import ConfirmationPending as ConfirmationPending
    from .content.block import Block as Block
    from .content.values import Audio as Audio
    from .content.values import File as File
    from .content.values import Image as Image
    from .content.values import Link as Link
    from .content.values import Text as Text
    from .content.values import ToolResult as ToolResult
    from .context import ToolConfig as ToolConfig
    from .context import ToolContext as ToolContext
    from .context import ToolEvent as ToolEvent
    from .definition.check import ToolSpecError as ToolSpecError
    from .definition.tool_definition import ToolDefinition as ToolDefinition
    from .definition.tool_definition import ToolDefinitions as ToolDefinitions
    from .elicitation import AcceptedElicitation as AcceptedElicitation
    from .elicitation import Elicitation as Elicitation
    from .elicitation import ElicitationResult as ElicitationResult
    from .elicitation import RefusedElicitation as RefusedElicitation
    from .errors import ChangedSinceConfirmedError as ChangedSinceConfirmedError
    from .errors import ToolError as ToolError
    from .execution.readiness import SetupContext as SetupContext
    from .response import ResponseForm as ResponseForm
    from .response import ToolResponse as ToolResponse
    from .task import Task as Task
    from .task import TaskStatus as TaskStatus
    from .text import printable as printable
    from .tool import BaseTool as BaseTool
    from .tool_spec import ToolParam as ToolParam
    from .tool_spec import ToolReturn as ToolReturn
    from .tool_spec import ToolSpec as ToolSpec
    from .toolkit import Toolkit as Toolkit

_HOMES = {
    "task": ("Task", "TaskStatus"),
    "checkpoint": ("Checkpoint", "CheckpointError"),
    "confirmation.question": ("Approval", "Confirmation", "ConfirmationPending"),
    "content.block": ("Block",),
    "content.values": ("Audio", "File", "Image", "Link", "Text", "ToolResult"),
    "context": ("ToolConfig", "ToolContext", "ToolEvent"),
    "definition.check": ("ToolSpecError",),
    "definition.tool_definition": ("ToolDefinition", "ToolDefinitions"),
    "elicitation": ("AcceptedElicitation", "Elicitation", "ElicitationResult", "RefusedElicitation"),
    "errors": ("ChangedSinceConfirmedError", "ToolError"),
    "execution.readiness": ("SetupContext",),
    "response": ("ResponseForm", "ToolResponse"),
    "text": ("printable",),
    "tool": ("BaseTool",),
    "tool_spec": ("ToolParam", "ToolReturn", "ToolSpec"),
    "toolkit": ("Toolkit",),
}
__all__ = [name for names in _HOMES.values() for name in names]  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
