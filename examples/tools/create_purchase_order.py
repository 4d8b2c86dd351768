"""create_purchase_order in the shop's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import orders
from generated.models.shared.purchasing import PurchaseOrderItem, PurchaseOrderLine
from generated.tools.create_purchase_order import (
    CreatePurchaseOrderRequest,
    CreatePurchaseOrderResponse,
    CreatePurchaseOrderTool,
    DuplicateOrderNumberError,
    ItemNotFoundError,
    LocationNotFoundError,
    SupplierNotFoundError,
)


class CreatePurchaseOrder(CreatePurchaseOrderTool):
    def preview(
        self, request: CreatePurchaseOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreatePurchaseOrderResponse:
        with _declared():
            planned = orders.plan(db, _order(request))
        return _response(planned, is_preview=True, message=orders.describe(planned))

    def execute(
        self, request: CreatePurchaseOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreatePurchaseOrderResponse:
        with _declared():
            order_id, placed = orders.place(
                db, _order(request), lambda planned: context.check_approval(orders.describe(planned))
            )
        number, total = placed.order.order_number, orders.money(placed.total_cents)
        response = _response(
            placed, is_preview=False, message=f"Ordered {number} from {placed.supplier} for {total} EUR."
        )
        response.id = order_id
        response.next_actions = [f"Send {number} to {placed.supplier}: {placed.supplier_email}."]
        return response


def _order(request: CreatePurchaseOrderRequest) -> orders.Order:
    return orders.Order(
        order_number=request.order_number,
        supplier_id=request.supplier_id,
        location_id=request.location_id,
        lines=tuple(_line(item) for item in request.items),
        expected_on=request.expected_on,
        note=request.note,
    )


def _line(item: PurchaseOrderItem) -> orders.Line:
    price = None if item.unit_price is None else orders.cents(item.unit_price)
    return orders.Line(item.sku, item.quantity, price)


def _response(placed: orders.PricedOrder, *, is_preview: bool, message: str) -> CreatePurchaseOrderResponse:
    order = placed.order
    return CreatePurchaseOrderResponse(
        order_number=order.order_number,
        supplier_id=order.supplier_id,
        supplier_name=placed.supplier,
        location_id=order.location_id,
        status="ordered",
        lines=[
            PurchaseOrderLine(
                sku=line.sku,
                name=line.name,
                quantity=line.quantity,
                unit_price=orders.money(line.unit_price_cents),
                line_total=orders.money(line.total_cents),
            )
            for line in placed.lines
        ],
        total_cost=orders.money(placed.total_cents),
        currency="EUR",
        is_preview=is_preview,
        message=message,
        warnings=list(placed.warnings),
        next_actions=[],
    )


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except orders.UnknownSupplierError as fault:
        raise SupplierNotFoundError(str(fault)) from fault
    except orders.UnknownLocationError as fault:
        raise LocationNotFoundError(str(fault)) from fault
    except orders.UnknownItemsError as fault:
        raise ItemNotFoundError(str(fault), details={"skus": fault.skus}) from fault
    except orders.DuplicateOrderNumberError as fault:
        raise DuplicateOrderNumberError(str(fault)) from fault
