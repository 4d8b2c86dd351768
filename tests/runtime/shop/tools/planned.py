# ruff: noqa: TID252  generated packages may be placed anywhere
from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toolgen.runtime import BaseTool, ToolContext

from ..catalog import PLANNED
from ..models.planned import PlannedRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from pydantic import JsonValue

__all__ = ["PlannedRequest", "PlannedTool"]


class PlannedTool(BaseTool[PlannedRequest, "JsonValue"]):
    """Planned."""

    definition = PLANNED
    request_model = PlannedRequest

    @abstractmethod
    def execute(self, request: PlannedRequest, context: ToolContext) -> JsonValue | Awaitable[JsonValue]:
        """Do the work; `async def` or a plain `def`."""
