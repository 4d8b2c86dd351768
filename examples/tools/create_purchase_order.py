"""create_purchase_order in the shop's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import orders
from generated.models.create_purchase_order import PurchaseOrderItem, PurchaseOrderLine
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
    ) -> str:
        with _declared():
            return orders.describe(orders.plan(db, _order(request)))

    def execute(
        self, request: CreatePurchaseOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreatePurchaseOrderResponse:
        with _declared():
            number, placed = orders.place(db, _order(request))
        return _response(number, placed)


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


def _response(order_id: int, placed: orders.PricedOrder) -> CreatePurchaseOrderResponse:
    order = placed.order
    number, total = order.order_number, orders.money(placed.total_cents)
    return CreatePurchaseOrderResponse(
        id=order_id,
        order_number=number,
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
        total_cost=total,
        currency="EUR",
        is_preview=False,
        message=f"Ordered {number} from {placed.supplier} for {total} EUR.",
        warnings=list(placed.warnings),
        next_actions=[f"Send {number} to {placed.supplier}: {placed.supplier_email}."],
    )


@contextmanager
def _declared() -> Iterator[None]:
    """The store's errors as the ones that the spec declares."""
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
