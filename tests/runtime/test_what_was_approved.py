"""What was shown to the user is what is executed: requests and arguments are never shared."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client
from mcp_types import ElicitResult
from pydantic import BaseModel, Field, model_validator
from toolgen import serving as adapter
from toolgen.runtime import (
    BaseTool,
    Confirmation,
    ConfirmationPending,
    ToolConfig,
    ToolContext,
    Toolkit,
)
from toolgen.runtime.settings import Settings

from tests.code_mode import shop as code_mode
from tests.runtime.tool_factory import code_of, make_tool, run

ARGUMENTS: dict[str, Any] = {
    "items": [{"sku": "A"}, {"sku": "B"}],
    "quantity": 2,
    "open": {"deep": [1, 2]},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"items": {"type": "array"}, "quantity": {"type": "integer"}, "open": {}},
    "required": ["items", "quantity", "open"],
}


class Order(BaseModel):
    """A request with a typed list, whose items and whose `open` may be anything."""

    items: list[Any]
    quantity: int
    open: Any


class Popping(Order):
    """A request whose validator takes its input apart."""

    @model_validator(mode="before")
    @classmethod
    def _take(cls, data: Any) -> Any:
        return {name: data.pop(name) for name in list(data)}


MODELS: list[type[BaseModel] | None] = [Order, Popping, None]


def values(request: Any) -> dict[str, Any]:
    """Return the fields of a request, which is a model or a dict."""
    return request if isinstance(request, dict) else vars(request)


def _pop(request: dict[str, Any]) -> None:
    del request["items"][-1:]


def _change_open(request: dict[str, Any]) -> None:
    request["open"]["deep"].append(request)


def _clear(request: dict[str, Any]) -> None:
    request.clear()


CHANGES = (_pop, _change_open, _clear)


class Bought:
    """A tool whose preview and whose user's application change all that they are given."""

    def __init__(self, model: type[BaseModel] | None, change: Callable[[dict[str, Any]], None]) -> None:
        self.model, self.change = model, change
        self.shown: list[Any] = []
        self.done: list[Any] = []
        self.kept: list[dict[str, Any]] = []  # requests and arguments that were seen before the act

    def toolkit(self, *, settings: Settings | None = None, **more: Any) -> Toolkit:
        bought = self

        async def setup(self: Any) -> None:
            bought.change_all()

        async def preview(self: Any, request: Any, context: ToolContext) -> str:
            given = values(request)
            bought.shown.append(copy.deepcopy(given))
            text = f"{given['quantity']} of {given['items']} with {given['open']}"
            bought.kept.append(given)
            bought.change(given)
            return text

        async def execute(self: Any, request: Any, context: ToolContext) -> str:
            bought.change_all()
            bought.done.append(copy.deepcopy(values(request)))
            return "bought"

        return Toolkit(
            [_tool(self.model, execute, preview=preview, setup=setup, **more)],
            config=ToolConfig(settings=settings or Settings()),
        )

    def change_all(self) -> None:
        """Change whatever was kept, as a preview's thread that continues may."""
        for kept in self.kept:
            if kept:
                self.change(kept)

    async def agree(self, asked: Confirmation) -> bool:
        """Agree, and change the arguments."""
        self.keep(asked)
        return True

    async def later(self, asked: Confirmation) -> bool:
        self.keep(asked)
        raise ConfirmationPending(asked)

    def keep(self, asked: Confirmation) -> None:
        assert asked.arguments == ARGUMENTS
        assert asked.message == "Buy 2 of 2?"
        assert isinstance(asked.arguments, dict)
        self.kept.append(asked.arguments)
        self.change(asked.arguments)


def _tool(
    model: type[BaseModel] | None, execute: Any, *, setup: Any, confirm: Any = None, **more: Any
) -> BaseTool[Any, Any]:
    confirm = {"message": "Buy {quantity} of {items|count}?", "preview": True} | (confirm or {})
    tool = make_tool(execute, request_model=model, input_schema=SCHEMA, confirm=confirm, **more)  # type: ignore[arg-type]
    type(tool).setup = setup  # type: ignore[method-assign]
    return tool


async def callback(bought: Bought) -> Any:
    return await bought.toolkit().call("x", copy.deepcopy(ARGUMENTS), confirm=bought.agree)


async def shared_arguments(bought: Bought) -> Any:
    """The caller's own arguments change during the set-up, and while the user is asked."""
    arguments = copy.deepcopy(ARGUMENTS)
    bought.kept.append(arguments)

    async def agree(asked: Confirmation) -> bool:
        bought.change_all()
        return True

    return await bought.toolkit().call("x", arguments, confirm=lambda asked: True)


async def other_replica(bought: Bought) -> Any:
    """The application asks later, and another process with the same key continues."""
    key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    settings = Settings(confirmation_key=key, confirmation_store="memory")
    with pytest.raises(ConfirmationPending) as caught:
        await bought.toolkit(settings=settings).call("x", copy.deepcopy(ARGUMENTS), confirm=bought.later)
    return await bought.toolkit(settings=settings).call(
        "x", copy.deepcopy(ARGUMENTS), confirmation_token=caught.value.token
    )


async def two_step(bought: Bought) -> Any:
    toolkit = bought.toolkit(confirm={"on_unsupported": "two_step"})
    first = await toolkit.call("x", copy.deepcopy(ARGUMENTS))
    token = first.metadata["confirmation"]["token"]
    return await toolkit.call("x", copy.deepcopy(ARGUMENTS), confirmation_token=token)


async def worker(bought: Bought) -> Any:
    toolkit = bought.toolkit(settings=Settings(task_queue="memory"), background={"result_ttl": 60})
    return await toolkit.call("x", copy.deepcopy(ARGUMENTS), confirm=bought.agree)


async def with_key(bought: Bought) -> Any:
    toolkit = bought.toolkit(idempotency={"ttl": 60})
    arguments, key = copy.deepcopy(ARGUMENTS), uuid4().hex
    return await toolkit.call("x", arguments, confirm=bought.agree, idempotency_key=key)


async def accept(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"confirm": True})


def mcp(era: str) -> Callable[[Bought], Awaitable[Any]]:
    async def call(bought: Bought) -> Any:
        server = adapter.build_server(bought.toolkit(), name="x")
        async with Client(server, mode=era, elicitation_callback=accept) as client:  # type: ignore[arg-type]
            return await client.call_tool("x", copy.deepcopy(ARGUMENTS))

    return call


async def script(bought: Bought) -> Any:
    toolkit = bought.toolkit(settings=Settings(code_mode=True))
    async with code_mode.serve(toolkit, "auto", elicitation_callback=accept) as client:
        return await code_mode.run(client, f"x({ARGUMENTS!r})")


WAYS = [
    callback,
    shared_arguments,
    other_replica,
    two_step,
    worker,
    with_key,
    mcp("auto"),
    mcp("legacy"),
    script,
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__ if model else "dict")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_executed_is_what_was_shown(
    way: Callable[[Bought], Awaitable[Any]], model: type[BaseModel] | None
) -> None:
    for change in CHANGES:
        bought = Bought(model, change)
        asyncio.run(way(bought))  # type: ignore[arg-type]
        assert bought.shown, change
        assert all(shown == ARGUMENTS for shown in bought.shown), change
        assert bought.done == [ARGUMENTS], change


def test_a_request_that_is_never_the_same_is_not_executed() -> None:
    """A value that is made anew with each request was not what the user saw."""

    class Numbered(Order):
        number: str = Field(default_factory=lambda: uuid4().hex)

    done: list[Any] = []

    async def preview(self: Any, request: Numbered, context: ToolContext) -> str:
        return f"order {request.number}"

    async def execute(self: Any, request: Numbered, context: ToolContext) -> str:
        done.append(request)
        return "bought"

    tool = make_tool(
        execute, request_model=Numbered, preview=preview, confirm={"message": "Buy?", "preview": True}
    )
    assert code_of(run(tool, ARGUMENTS, confirm=lambda asked: True)) == "changed_since_confirmed"
    assert done == []
