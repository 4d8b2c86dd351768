"""A shop whose tools need care: some ask, fail, break their contract, need a scope, or take their time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp import Client
from toolgen import serving as adapter
from toolgen.runtime import BaseTool, ToolConfig, ToolError, Toolkit, ToolParam, ToolReturn, ToolSpec
from toolgen.runtime.context import ToolContext
from toolgen.runtime.settings import Settings

ARTICLE = ToolParam("article", "string", "Its name.", schema={"minLength": 1})
PRICE = ToolReturn("object", schema={"required": ["amount"], "properties": {"amount": {"type": "number"}}})


class SoldOutError(ToolError):
    """There is none left."""

    code = "sold_out"
    description = "There is none left."
    hint = "Order another article."


@dataclass
class Shop:
    """What the tools of one shop have done."""

    done: list[str] = field(default_factory=list)

    def toolkit(self, *more: BaseTool[Any, Any]) -> Toolkit:
        """Return the tools of this shop, in code mode where they are served."""
        config = ToolConfig(settings=Settings(code_mode=True))
        tools = [Price(), Order(self), Pay(self), Broken(), Wait(), Wipe(self), Odd(), *more]
        return Toolkit(tools, config=config)


class Price(BaseTool[Any, Any]):
    """Return a price."""

    spec = ToolSpec(
        name="get-price", description="Look up the price of an article.", inputs=[ARTICLE], returns=PRICE
    )

    async def execute(self, request: Any, context: ToolContext) -> Any:
        return {"amount": len(request["article"]) * 1.5}


class Order(BaseTool[Any, Any]):
    """Order, after the user has agreed."""

    spec = ToolSpec(
        name="order",
        description="Order an article from the supplier.",
        inputs=[ARTICLE, ToolParam("count", "integer", required=False, schema={"minimum": 1, "default": 1})],
        returns=ToolReturn("object", schema={"properties": {"order": {"type": "integer"}}}),
        errors=[SoldOutError],
        confirm={"message": "Order {article}?", "on_unsupported": "allow"},
    )

    def __init__(self, shop: Shop) -> None:
        self.shop = shop

    async def execute(self, request: Any, context: ToolContext) -> Any:
        if request["article"] == "rare":
            raise SoldOutError
        self.shop.done.append(f"order {request['article']}")
        return {"order": len(self.shop.done)}


class Pay(BaseTool[Any, Any]):
    """Pay, with a token of the user's approval where a host cannot ask."""

    spec = ToolSpec(
        name="pay",
        description="Pay an invoice.",
        inputs=[ToolParam("amount", "number")],
        confirm={"message": "Pay {amount}?", "on_unsupported": "two_step"},
    )

    def __init__(self, shop: Shop) -> None:
        self.shop = shop

    async def execute(self, request: Any, context: ToolContext) -> Any:
        self.shop.done.append(f"pay {request['amount']}")
        return "paid"


class Broken(BaseTool[Any, Any]):
    """Break its contract."""

    spec = ToolSpec(name="broken", description="Answer with something else.", returns=PRICE)

    async def execute(self, request: Any, context: ToolContext) -> Any:
        return {"amount": "a lot"}


class Wait(BaseTool[Any, Any]):
    """Take some time."""

    spec = ToolSpec(name="wait", description="Wait for a while.", inputs=[ToolParam("seconds", "number")])

    async def execute(self, request: Any, context: ToolContext) -> Any:
        await asyncio.sleep(request["seconds"])
        return "done"


class Wipe(BaseTool[Any, Any]):
    """Need a scope."""

    spec = ToolSpec(name="wipe", description="Delete every order.", auth={"scopes": ["admin"]})

    def __init__(self, shop: Shop) -> None:
        self.shop = shop

    async def execute(self, request: Any, context: ToolContext) -> Any:
        self.shop.done.append("wipe")
        return "wiped"


class Odd(BaseTool[Any, Any]):
    """Return its arguments."""

    spec = ToolSpec(
        name="list",
        description="Return the arguments.",
        inputs=[ToolParam("user-id", "string"), ToolParam("class", "string", required=False)],
    )

    async def execute(self, request: Any, context: ToolContext) -> Any:
        return request


def answering(asked: list[str], *answers: Any) -> Any:
    """Return a callback of a client that answers questions in turn, the last one for all others."""
    left = list(answers)

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        action = left.pop(0) if len(left) > 1 else left[0]
        return types.ElicitResult(action=action, content={"confirm": True} if action == "accept" else None)

    return answer


def serve(tools: Toolkit, era: str = "auto", **options: Any) -> Client:
    """Return a client of a server of `tools`."""
    return Client(adapter.build_server(tools, name="shop"), mode=era, **options)


async def run(client: Client, code: str) -> Any:
    """Return the structured content of a script's result, or the text of its error."""
    result = await client.call_tool("run_code", {"code": code})
    assert isinstance(result, types.CallToolResult)
    if result.is_error:
        content = result.content[0]
        assert isinstance(content, types.TextContent)
        return content.text
    return result.structured_content
