"""receive_purchase_order in the shop's database."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import fulfilment, receiving
from examples.store.wording import count
from generated.models.receive_purchase_order import ReceivedLine
from generated.models.shared.stock import StockMove
from generated.tools.receive_purchase_order import (
    ItemNotOnOrderError,
    OrderNotFoundError,
    OrderNotOpenError,
    ReceivePurchaseOrderRequest,
    ReceivePurchaseOrderResponse,
    ReceivePurchaseOrderTool,
    TooManyError,
)

from ._stock import stock_moves


class ReceivePurchaseOrder(ReceivePurchaseOrderTool):
    def preview(
        self, request: ReceivePurchaseOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> ReceivePurchaseOrderResponse:
        with _declared():
            planned = receiving.plan(db, request.order_number, _arrived(request))
        return _response(planned, is_preview=True, message=receiving.describe(planned))

    def execute(
        self, request: ReceivePurchaseOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> ReceivePurchaseOrderResponse:
        with _declared():
            receipt = receiving.receive(
                db,
                request.order_number,
                _arrived(request),
                lambda planned: context.check_approval(receiving.describe(planned)),
            )
        units = count(sum(line.now for line in receipt.lines), "unit")
        return _response(
            receipt, is_preview=False, message=f"Booked {units} of {receipt.order_number} into stock."
        )


def _arrived(request: ReceivePurchaseOrderRequest) -> dict[str, int] | None:
    """Return units by article; the units of an article that is named twice are added."""
    if request.items is None:
        return None
    arrived: Counter[str] = Counter()
    for item in request.items:
        arrived[item.sku] += item.quantity
    return dict(arrived)


def _response(receipt: receiving.Receipt, *, is_preview: bool, message: str) -> ReceivePurchaseOrderResponse:
    missing = sum(line.outstanding for line in receipt.lines)
    return ReceivePurchaseOrderResponse(
        order_number=receipt.order_number,
        supplier_name=receipt.supplier,
        status="partly_received" if missing else "received",
        lines=[
            ReceivedLine(
                sku=line.sku,
                name=line.name,
                ordered=line.ordered,
                received_now=line.now,
                outstanding=line.outstanding,
            )
            for line in receipt.lines
        ],
        stock=[StockMove.model_validate(move) for move in stock_moves(receipt.moves)],
        is_preview=is_preview,
        message=message,
        warnings=[f"{count(missing, 'unit')} still to come."] if missing else [],
        next_actions=[f"Ask {receipt.supplier} when the rest comes."] if missing else [],
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
    except receiving.NotOrderedError as fault:
        raise ItemNotOnOrderError(str(fault), details={"skus": fault.skus}) from fault
    except receiving.TooManyReceivedError as fault:
        raise TooManyError(str(fault)) from fault
