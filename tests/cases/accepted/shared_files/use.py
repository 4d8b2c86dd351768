import asyncio

from generated.models.shared.billing_common import Maybe
from generated.models.shared.billing_common import Money as Paid
from generated.models.shared.orders_common import Order
from generated.models.shared.people import Person
from generated.models.shared.tree import Node
from generated.tools.get_order import GetOrderRequest, GetOrderResponse, GetOrderTool
from toolgen.runtime import Toolkit


def city_of(order: Order) -> str:
    return (order.address and order.address.city) or "nowhere"


class GetOrder(GetOrderTool):
    def execute(self, request, context):
        print(type(request.either).__module__, request.tree and request.tree.children[0].owner.root)
        return GetOrderResponse(id="1", total=request.billed)


tree = Node(children=[Node(owner=Person(name="Ada", root=Node(label="deep")))])
request = GetOrderRequest(billed=Paid(kind="billing", amount="1.00"), maybe=Maybe(from_=1), tree=tree)
print(request.model_dump(mode="json", by_alias=True, exclude_unset=True))
print(city_of(GetOrderResponse(id="1")), issubclass(GetOrderResponse, Order))
for either in ({"kind": "orders", "currency": "EUR"}, {"kind": "billing", "amount": "2.00"}, {"kind": "none"}):
    arguments = {"either": either, "tree": {"children": [{"owner": {"name": "Ada"}}]}}
    response = asyncio.run(Toolkit([GetOrder()]).call("get_order", {**arguments, "billed": either}))
    print(response.success, response.content or response.error)
