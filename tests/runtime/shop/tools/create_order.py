# ruff: noqa: TID252  generated packages may be placed anywhere
"""Create order."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toolgen.runtime import BaseTool, ToolContext, ToolError

from ..catalog import CREATE_ORDER
from ..models.create_order import CreateOrderRequest, CreateOrderResponse

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable

__all__ = ["CreateOrderRequest", "CreateOrderResponse", "CreateOrderTool", "SupplierNotFoundError"]


class SupplierNotFoundError(ToolError):
    """No such supplier."""

    code = "supplier_not_found"
    description = "No such supplier."
    retryable = False
    hint = "Call search_suppliers first."


class CreateOrderTool(BaseTool[CreateOrderRequest, CreateOrderResponse]):
    """Create a purchase order with a supplier."""

    definition = CREATE_ORDER
    request_model = CreateOrderRequest
    response_model = CreateOrderResponse
    errors = (SupplierNotFoundError,)

    @abstractmethod
    def execute(
        self, request: CreateOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreateOrderResponse | Awaitable[CreateOrderResponse]:
        """Do the work; `async def` or a plain `def`."""
