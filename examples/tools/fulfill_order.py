"""fulfill_order in the shop's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import fulfilment, stock
from generated.models.shared.stock import StockMove
from generated.tools.fulfill_order import (
    FulfillOrderRequest,
    FulfillOrderResponse,
    FulfillOrderTool,
    OrderNotFoundError,
    OrderNotOpenError,
    ShortStockError,
)

from ._stock import shortages, stock_moves


class FulfillOrder(FulfillOrderTool):
    def preview(
        self, request: FulfillOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> FulfillOrderResponse:
        with _declared():
            planned = fulfilment.plan(db, request.order_number)
        return _response(planned, is_preview=True, message=fulfilment.describe(planned))

    def execute(
        self, request: FulfillOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> FulfillOrderResponse:
        with _declared():
            done = fulfilment.fulfil(
                db,
                request.order_number,
                lambda planned: context.check_approval(fulfilment.describe(planned)),
            )
        what = f"shipped to {done.customer}" if done.kind == "sales" else "built and in stock"
        return _response(done, is_preview=False, message=f"{done.order_number} is fulfilled: {what}.")


def _response(done: fulfilment.Fulfilment, *, is_preview: bool, message: str) -> FulfillOrderResponse:
    low = [move.sku for move in done.moves if move.change < 0 and move.after < move.reorder_point]
    return FulfillOrderResponse(
        order_number=done.order_number,
        kind=done.kind,
        customer=done.customer,
        status="fulfilled",
        stock=[StockMove.model_validate(move) for move in stock_moves(done.moves)],
        is_preview=is_preview,
        message=message,
        warnings=list(done.warnings),
        next_actions=[f"Order or build more: {', '.join(low)}."] if low else [],
    )


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except fulfilment.UnknownOrderError as fault:
        raise OrderNotFoundError(str(fault)) from fault
    except fulfilment.OrderNotOpenError as fault:
        raise OrderNotOpenError(str(fault)) from fault
    except stock.ShortStockError as fault:
        raise ShortStockError(str(fault), details=shortages(fault)) from fault
