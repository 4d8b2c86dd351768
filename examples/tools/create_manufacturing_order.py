"""create_manufacturing_order in the shop's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import manufacturing, orders, stock
from generated.models.shared.stock import StockMove
from generated.tools.create_manufacturing_order import (
    CreateManufacturingOrderRequest,
    CreateManufacturingOrderResponse,
    CreateManufacturingOrderTool,
    DuplicateOrderNumberError,
    ItemNotFoundError,
    NotBuildableError,
    ShortStockError,
)

from ._stock import shortages, stock_moves


class CreateManufacturingOrder(CreateManufacturingOrderTool):
    def preview(
        self, request: CreateManufacturingOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreateManufacturingOrderResponse:
        with _declared():
            planned = manufacturing.plan(db, _job(request))
        return _response(planned, is_preview=True, message=manufacturing.describe(planned))

    def execute(
        self, request: CreateManufacturingOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreateManufacturingOrderResponse:
        with _declared():
            order_id, begun = manufacturing.begin(
                db, _job(request), lambda planned: context.check_approval(manufacturing.describe(planned))
            )
        job = begun.job
        response = _response(
            begun, is_preview=False, message=f"Began {job.order_number}: {job.quantity} x {job.product_sku}."
        )
        response.id = order_id
        response.next_actions = [f"When it is built, call fulfill_order with {job.order_number}."]
        return response


def _response(
    begun: manufacturing.PlannedJob, *, is_preview: bool, message: str
) -> CreateManufacturingOrderResponse:
    job = begun.job
    return CreateManufacturingOrderResponse(
        order_number=job.order_number,
        product_sku=job.product_sku,
        product_name=begun.product,
        quantity=job.quantity,
        status="in_progress",
        components=[StockMove.model_validate(move) for move in stock_moves(begun.components)],
        is_preview=is_preview,
        message=message,
        warnings=list(begun.warnings),
        next_actions=[],
    )


def _job(request: CreateManufacturingOrderRequest) -> manufacturing.Job:
    return manufacturing.Job(
        request.order_number, request.product_sku, request.quantity, request.due_on, request.note
    )


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except stock.UnknownItemError as fault:
        raise ItemNotFoundError(str(fault)) from fault
    except manufacturing.NotBuildableError as fault:
        raise NotBuildableError(str(fault)) from fault
    except stock.ShortStockError as fault:
        raise ShortStockError(str(fault), details=shortages(fault)) from fault
    except orders.DuplicateOrderNumberError as fault:
        raise DuplicateOrderNumberError(str(fault)) from fault
