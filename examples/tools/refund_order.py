"""refund_order in the shop's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import fulfilment, refunding
from examples.store.orders import money
from generated.tools.refund_order import (
    OrderNotFoundError,
    OrderNotPaidError,
    RefundOrderRequest,
    RefundOrderResponse,
    RefundOrderTool,
)


class RefundOrder(RefundOrderTool):
    def preview(
        self, request: RefundOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> RefundOrderResponse:
        with _declared():
            planned = refunding.plan(db, request.order_number, request.reason)
        return _response(planned, is_preview=True, message=refunding.describe(planned))

    def execute(
        self, request: RefundOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> RefundOrderResponse:
        with _declared():
            done = refunding.refund(
                db,
                request.order_number,
                request.reason,
                lambda planned: context.check_approval(refunding.describe(planned)),
            )
        message = f"{money(done.cents)} EUR for {done.order_number} go back to {done.customer}."
        return _response(done, is_preview=False, message=message)


def _response(done: refunding.Refund, *, is_preview: bool, message: str) -> RefundOrderResponse:
    return RefundOrderResponse(
        order_number=done.order_number,
        customer=done.customer,
        amount=money(done.cents),
        currency="EUR",
        status="refunded",
        is_preview=is_preview,
        message=message,
        warnings=[],
        next_actions=[] if is_preview else [f"Ask {done.customer} for the goods."],
    )


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except fulfilment.UnknownOrderError as fault:
        raise OrderNotFoundError(str(fault)) from fault
    except refunding.OrderNotPaidError as fault:
        raise OrderNotPaidError(str(fault)) from fault
