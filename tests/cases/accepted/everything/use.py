import asyncio
import datetime
import os
import sqlite3

from generated.catalog import TOOLS, tool_class
from generated.openai_tools import CHAT_TOOLS, RESPONSES_TOOLS
from generated.tools.place_order import (
    PlaceOrderRequest,
    PlaceOrderResponse,
    PlaceOrderTool,
    PlaceOrderToolError,
    SupplierNotFoundError,
)
from toolgen.runtime import Confirmation, ToolContext, Toolkit

os.environ["SHOP_API_KEY"] = "key-of-the-shop"


class PlaceOrder(PlaceOrderTool):
    def execute(
        self, request: PlaceOrderRequest, context: ToolContext, *, db: sqlite3.Connection, clock: datetime.datetime,
        limit: int, extra: object, cache: datetime.timedelta | None,
    ) -> PlaceOrderResponse:
        if request.supplier_id == 99:
            raise SupplierNotFoundError(details={"supplier_id": 99})
        if request.supplier_id == 98:
            raise PlaceOrderToolError("It went wrong.")
        assert cache is None  # optional, and the application has none
        return PlaceOrderResponse(order_id=limit + clock.year)

    def preview(
        self, request: PlaceOrderRequest, context: ToolContext, *, db: sqlite3.Connection, clock: datetime.datetime,
        limit: int, extra: object, cache: datetime.timedelta | None,
    ) -> str:
        return f"Supplier {request.supplier_id}, nothing else."


def connect() -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


async def yes(question: Confirmation) -> bool:
    print("?", question.message, "|", question.preview)
    return True


def call(name: str, arguments: object, confirm=yes, scopes=frozenset({"orders:write"})) -> None:
    context = {"db": connect, "clock": datetime.datetime(2026, 1, 2), "limit": 7, "extra": "any"}
    toolkit = Toolkit([PlaceOrder()], context=context)
    answer = asyncio.run(toolkit.call(name, arguments, confirm=confirm, scopes=scopes))
    print(answer.content if answer.success else answer.error.as_text())


call("place_order", {"supplier_id": 1})
call("make_order", {"supplier_id": 99})
call("order.place", {"supplier_id": 98})
call("place_order", {"supplier_id": 1}, None)
call("place_order", {"supplier_id": "1"})
call("place_order", {"supplier_id": 1}, scopes=None)
print(tool_class("make_order").__name__, list(TOOLS), TOOLS["place_order"]["x-owner"])
(function,) = RESPONSES_TOOLS[0]["tools"]
print(CHAT_TOOLS[0]["function"]["name"], RESPONSES_TOOLS[0]["name"], function["name"], function["strict"])
print([error.code for error in PlaceOrderTool.errors], [error.__name__ for error in PlaceOrderTool.errors])
