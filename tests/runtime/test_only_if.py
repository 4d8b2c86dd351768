"""`confirm.only_if`: a call with false is answered by the preview, whoever calls; any other call asks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp_types import ElicitResult
from pydantic import BaseModel
from toolgen.runtime import Confirmation, ToolConfig, ToolContext, Toolkit
from toolgen.runtime.settings import Settings

from tests.code_mode import shop as code_mode
from tests.runtime.tool_factory import code_of, make_tool
from tests.scopes import agree

DONE: list[Any] = []
SHOWN = {"is_preview": True, "message": "Order 2?"}
ACTED = {"is_preview": False, "message": "Ordered 2."}
INPUT: dict[str, Any] = {
    "type": "object",
    "required": ["quantity"],
    "properties": {"quantity": {"type": "integer"}, "confirm": {"type": "boolean", "default": False}},
}
OUTPUT = {"type": "object", "required": ["is_preview", "message"]}
CONFIRM = {"message": "Order {quantity}?", "preview": True, "only_if": "/confirm"}


class Answer(BaseModel):
    """The response."""

    is_preview: bool
    message: str


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


async def preview(self: Any, request: Any, context: ToolContext) -> Answer:
    return Answer(is_preview=True, message=f"Order {request.quantity}?")


async def execute(self: Any, request: Any, context: ToolContext) -> Answer:
    DONE.append(request)
    return Answer(is_preview=False, message=f"Ordered {request.quantity}.")


def order(
    *, properties: dict[str, Any] | None = None, confirm: dict[str, Any] | None = None, **more: Any
) -> Any:
    """Return a tool that orders, and previews where `confirm` is false."""
    schema = {**INPUT, "properties": {**INPUT["properties"], **(properties or {})}}
    fields = {"input_schema": schema, "preview": preview, "output_schema": OUTPUT, "response_model": Answer}
    return make_tool(more.pop("execute", execute), confirm=CONFIRM | (confirm or {}), **{**fields, **more})


def kit(settings: Settings | None = None, **more: Any) -> Toolkit:
    return Toolkit([order(**more)], config=ToolConfig(settings=settings or Settings()))


async def never(asked: Confirmation) -> bool:
    raise AssertionError(asked)


def call(toolkit: Toolkit, arguments: dict[str, Any], **options: Any) -> Any:
    return asyncio.run(toolkit.call("x", {"quantity": 2, **arguments}, **options))


@pytest.mark.parametrize("on_unsupported", ["deny", "two_step", "allow"])
@pytest.mark.parametrize("arguments", [{"confirm": False}, {}, {"confirm": "false"}], ids=str)
def test_false_is_answered_by_the_preview(arguments: dict[str, Any], on_unsupported: str) -> None:
    """Also where it is left out and false by default, and where a model writes it as a text."""
    toolkit = kit(confirm={"on_unsupported": on_unsupported})
    for confirm in (never, None):
        response = call(toolkit, arguments, confirm=confirm)
        assert response.content == SHOWN
        assert response.metadata["preview"] is True
    assert DONE == []


@pytest.mark.parametrize(
    ("properties", "arguments"),
    [
        ({}, {"confirm": True}),
        ({"confirm": {"type": "boolean", "default": True}}, {}),
        ({"confirm": {"type": ["boolean", "null"], "default": False}}, {"confirm": None}),
    ],
    ids=["true", "true by default", "null"],
)
def test_anything_else_asks(properties: dict[str, Any], arguments: dict[str, Any]) -> None:
    toolkit = kit(properties=properties)
    assert code_of(call(toolkit, arguments)) == "confirmation_required"
    assert DONE == []
    assert call(toolkit, arguments, confirm=agree).content == ACTED
    assert len(DONE) == 1


def test_a_preview_that_fails_or_breaks_the_contract_does_nothing() -> None:
    async def fails(self: Any, request: Any, context: ToolContext) -> Any:
        raise ValueError

    async def breaks(self: Any, request: Any, context: ToolContext) -> Any:
        return {"message": 1}

    assert code_of(call(kit(preview=fails), {})) == "internal_error"
    assert code_of(call(kit(preview=breaks), {})) == "internal_error"
    assert code_of(call(kit(preview=breaks, response_model=None), {})) == "invalid_response"
    assert DONE == []


async def test_scopes_limits_and_time_hold_for_the_preview() -> None:
    async def slow(self: Any, request: Any, context: ToolContext) -> Any:
        await asyncio.sleep(60)

    for refusing, code in (
        (kit(auth={"scopes": ["a"]}), "insufficient_scope"),
        (kit(timeout=0.01, preview=slow), "timeout"),
        (kit(max_result_bytes=10), "too_large"),
    ):
        assert code_of(await refusing.call("x", {"quantity": 2}, scopes=[])) == code
    toolkit = kit(rate_limit={"per_minute": 2})
    found = [code_of(await toolkit.call("x", {"quantity": 2}, principal="ann")) for _ in range(3)]
    assert found == [None, None, "rate_limited"]
    assert DONE == []


async def test_a_preview_does_not_use_up_a_key() -> None:
    toolkit = kit(idempotency={"ttl": 60})
    options: Any = {"idempotency_key": "only-if", "confirm": agree}
    shown = [await toolkit.call("x", {"quantity": 2}, **options) for _ in range(2)]
    acted = await toolkit.call("x", {"quantity": 2, "confirm": True}, **options)
    again = await toolkit.call("x", {"quantity": 2}, **options)
    assert [each.content for each in (*shown, acted, again)] == [SHOWN, SHOWN, ACTED, SHOWN]
    assert len(DONE) == 1


def test_a_stream_ends_with_the_preview() -> None:
    async def stream(self: Any, request: Any, context: ToolContext) -> Any:
        DONE.append(request)
        yield "a"
        yield Answer(is_preview=False, message="Ordered.")

    toolkit = kit(execute=stream, stream={"chunk_schema": {"type": "string"}})

    async def items(**arguments: Any) -> list[Any]:
        return [item async for item in toolkit.stream("x", {"quantity": 2, **arguments}, confirm=agree)]

    (shown,) = asyncio.run(items())
    assert shown.content == SHOWN
    assert DONE == []
    assert len(asyncio.run(items(confirm=True))) == 2


async def accept(context: Any, params: Any) -> ElicitResult:
    raise AssertionError(params.message)


async def test_code_mode() -> None:
    toolkit = kit(Settings(code_mode=True))
    async with code_mode.serve(toolkit, "auto", elicitation_callback=accept) as client:
        assert (await code_mode.run(client, "x(quantity=2)"))["result"] == SHOWN
    assert DONE == []
