"""print_purchase_order of the orders in the shop's database."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import File, ToolContext, ToolResult

from examples.store import printing
from examples.store.fulfilment import UnknownOrderError
from examples.store.orders import money
from generated.tools.print_purchase_order import (
    OrderNotFoundError,
    PrintPurchaseOrderRequest,
    PrintPurchaseOrderResponse,
    PrintPurchaseOrderTool,
)


class PrintPurchaseOrder(PrintPurchaseOrderTool):
    def execute(
        self, request: PrintPurchaseOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> ToolResult[PrintPurchaseOrderResponse, File]:
        try:
            order = printing.read_order(db, request.order_number)
        except UnknownOrderError as fault:
            raise OrderNotFoundError(str(fault)) from fault
        number = order.order_number
        is_open = order.status == "ordered"
        response = PrintPurchaseOrderResponse(
            order_number=number,
            supplier_name=order.supplier,
            status=order.status,
            total_cost=money(order.total_cents),
            currency="EUR",
            message=f"Printed {number} to {order.supplier}.",
            warnings=[] if is_open else [f"{number} is {order.status.replace('_', ' ')}."],
            next_actions=[f"Send the file to {order.supplier}: {order.supplier_email}."] if is_open else [],
        )
        return ToolResult(response, File(order.pdf(), name=f"{number}.pdf"))
