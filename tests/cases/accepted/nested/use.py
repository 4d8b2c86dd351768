import asyncio

from generated.models.create_order import Line
from generated.tools.create_order import CreateOrderRequest, CreateOrderResponse, CreateOrderTool
from toolgen.runtime import ToolContext, Toolkit


class CreateOrder(CreateOrderTool):
    async def execute(self, request: CreateOrderRequest, context: ToolContext) -> CreateOrderResponse:
        print(request.customer.name, request.customer.address, request.priority, request.days, request.tags, request.limit)
        lines = [
            Line(sku=item.sku, total=(item.price or 0) * item.quantity) for item in request.items
        ]
        return CreateOrderResponse(order_id=7, lines=lines)


def call(arguments: object) -> None:
    answer = asyncio.run(Toolkit([CreateOrder()]).call("create_order", arguments))
    print(answer.content if answer.success else answer.error.code)


ITEM = {"sku": "A-1", "quantity": 2, "price": 10**20}
call({"customer": {"name": "Ada", "loyal": True}, "items": [ITEM]})
call({"customer": {"name": "Ada", "address": {"city": "Oslo"}}, "items": [ITEM], "priority": "high", "days": 1})
call({"customer": {"name": ""}, "items": [ITEM]})
call({"customer": {"name": "Ada"}, "items": [], "colour": "red"})
