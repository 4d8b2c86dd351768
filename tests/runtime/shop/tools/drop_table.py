# ruff: noqa: TID252  generated packages may be placed anywhere
"""Drop table."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toolgen.runtime import BaseTool, ToolContext

from ..catalog import DROP_TABLE
from ..models.drop_table import DropTableRequest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable

    from pydantic import JsonValue

__all__ = ["DropTableRequest", "DropTableTool"]


class DropTableTool(BaseTool[DropTableRequest, "JsonValue"]):
    """Drop a table."""

    definition = DROP_TABLE
    request_model = DropTableRequest

    @abstractmethod
    def execute(
        self, request: DropTableRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> JsonValue | Awaitable[JsonValue]:
        """Do the work; `async def` or a plain `def`."""

    @abstractmethod
    def preview(
        self, request: DropTableRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> str | Awaitable[str]:
        """What would happen, as text for the user."""
