# ruff: noqa: TID252  generated packages may be placed anywhere
from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toolgen.runtime import BaseTool, ToolContext

from ..catalog import ECHO
from ..models.echo import EchoRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pydantic import JsonValue

__all__ = ["EchoRequest", "EchoTool"]


class EchoTool(BaseTool[EchoRequest, "JsonValue"]):
    """Echo."""

    definition = ECHO
    request_model = EchoRequest

    @abstractmethod
    def execute(self, request: EchoRequest, context: ToolContext) -> JsonValue | Awaitable[JsonValue]:
        """Do the work; `async def` or a plain `def`."""
