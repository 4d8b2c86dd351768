"""Tools that ask clients of MCP in the middle of a call: calls that are held, and answers that come too late."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel
from toolgen.runtime import ToolConfig, ToolContext, Toolkit
from toolgen.runtime.settings import Settings
from toolgen.serving import held_questions
from toolgen.serving.adopted.mcp_server import MCPServerTool
from toolgen.serving.server import ToolServer, build_server

from tests.end_to_end.project import ERAS, text_of
from tests.runtime.tool_factory import Anything, make_tool

KEYS = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
YES = types.ElicitResult(action="accept", content={"quantity": 2})


class Details(BaseModel):
    quantity: int


class Order:
    """A tool that asks; counts how often it began, ended and was cancelled."""

    def __init__(self, **definition: Any) -> None:
        self.begun = self.ended = self.cancelled = 0
        outer = self

        async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
            outer.begun += 1
            try:
                answer = await context.elicit("How many?", Details)
                context.extras["asked"] = context.extras.get("asked", 0) + 1
                await context.report_progress(1, 1, "asked")
            except asyncio.CancelledError:
                outer.cancelled += 1
                raise
            outer.ended += 1
            return "none" if answer.action != "accept" else answer.data.quantity

        self.tool = make_tool(execute, asks=True, **definition)

    def server(self, settings: Settings | None = None, **options: Any) -> ToolServer:
        toolkit = Toolkit([self.tool], config=ToolConfig(settings=settings or Settings(**options)))
        return build_server(toolkit, name="shop")


_CONFIRMED = types.ElicitResult(action="accept", content={"confirm": True})


async def accept(context: Any, params: Any) -> types.ElicitResult:
    return YES if "quantity" in params.requested_schema["properties"] else _CONFIRMED


@asynccontextmanager
async def connected(server: Any, era: str = "auto", asked: Any = accept) -> AsyncIterator[Client]:
    """Connect to a server, as a client whose user answers."""
    async with asyncio.timeout(30), Client(server, mode=era, elicitation_callback=asked) as client:  # type: ignore[arg-type]
        yield client


async def send(client: Client, state: str | None = None, answer: Any = None, **arguments: Any) -> Any:
    """Make one request of a call, and return its result as JSON."""
    answers = answer if isinstance(answer, dict) else {held_questions.KEY: answer}
    answers = None if answer is None else answers
    params = types.CallToolRequestParams(
        name="x", arguments=arguments, request_state=state, input_responses=answers
    )
    request = types.CallToolRequest(params=params)
    return await client.session.send_request(request, _AnyResult)


class _AnyResult(BaseModel):
    model_config = {"extra": "allow"}

    @property
    def state(self) -> str:
        return str((self.model_extra or {})["requestState"])

    @property
    def code(self) -> str | None:
        found: Any = self.model_extra or {}
        return found["_meta"]["toolgen/error"]["code"] if found.get("isError") else None

    @property
    def text(self) -> str:
        found: Any = self.model_extra or {}
        return str(found["content"][0]["text"])


async def test_an_answer_joins_the_call_that_waits_and_counts_once() -> None:
    order = Order()
    async with connected(order.server()) as client:
        state = (await send(client)).state
        assert (order.begun, order.ended) == (1, 0)
        answered = await send(client, state, YES)
        assert (answered.text, order.begun, order.ended) == ("2", 1, 1)
        for late in (await send(client, state, YES), await send(client, state)):
            assert late.code == "outcome_unknown"
            assert "no longer waits for this answer" in late.text
        assert (await send(client, None, YES)).code == "outcome_unknown"
        assert order.begun == 1


async def test_a_state_is_for_the_same_arguments() -> None:
    order = Order()
    async with connected(order.server()) as client:
        state = (await send(client, what="a")).state
        assert (await send(client, state, YES, what="b")).code == "outcome_unknown"
        assert (await send(client, state, YES, what="a")).text == "2"
        assert order.begun == 1


@pytest.mark.parametrize("keys", [None, KEYS], ids=["own-keys", "shared-keys"])
async def test_an_answer_to_another_replica_starts_nothing(keys: str | None) -> None:
    one, other = Order(), Order()
    async with connected(one.server(confirmation_key=keys, confirmation_store="memory")) as client:
        state = (await send(client)).state
        async with Client(
            other.server(confirmation_key=keys, confirmation_store="memory"), elicitation_callback=accept
        ) as second:
            assert (await send(second, state, YES)).code == "outcome_unknown"
        assert (one.begun, other.begun) == (1, 0)


async def test_a_call_is_held_for_so_long_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_questions, "HELD_SECONDS", 0.05)
    order = Order()
    async with connected(order.server()) as client:
        state = (await send(client)).state
        while not order.cancelled:
            await asyncio.sleep(0.01)
        assert (await send(client, state, YES)).code == "outcome_unknown"


async def test_so_many_calls_are_held_only(monkeypatch: pytest.MonkeyPatch) -> None:
    order = Order()
    server = order.server()
    server.state.held = held_questions.HeldCalls(1)
    async with connected(server) as client:
        state = (await send(client)).state
        refused = await send(client)
        assert refused.code == "confirmation_required"
        assert (await send(client, state, YES)).text == "2"


@ERAS
async def test_the_confirmation_comes_first_and_the_work_begins_once(era: str) -> None:
    order, asked = Order(confirm={"message": "Order?"}), list[str]()

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return await accept(context, params)

    async with connected(order.server(), era, asked=answer) as client:
        assert text_of(await client.call_tool("x", {})) == "2"
    assert asked == ["Order?", "How many?"]
    assert order.begun == 1


async def slowly(context: Any, params: Any) -> types.ElicitResult:
    await asyncio.sleep(0.3)
    return YES


async def gets_two(client: Client) -> None:
    assert text_of(await client.call_tool("x", {})) == "2"


@ERAS
async def test_the_time_of_the_user_does_not_count(era: str) -> None:
    async with connected(Order(timeout=0.2).server(), era, asked=slowly) as client:
        await gets_two(client)


@ERAS
async def test_a_tool_of_an_adopted_server_asks_in_its_own_way(era: str) -> None:
    adopted = MCPServer("Shop")
    begun = 0

    @adopted.tool()
    async def order(ctx: Context) -> str:
        nonlocal begun
        begun += 1
        answer = await ctx.elicit("How many?", Details)
        return "none" if answer.action != "accept" else str(answer.data.quantity)

    base = make_tool(lambda *_: None, asks=True, timeout=0.2, content="any")
    names = {"server": adopted, "listed_name": "order"}
    tool: Any = type("Order", (MCPServerTool, type(base)), names)()

    async with connected(build_server(Toolkit([tool]), name="shop"), era, asked=slowly) as client:
        await gets_two(client)
    assert begun == 1


async def test_an_approved_tool_that_asks_by_its_result_is_not_confirmed_again_and_acts_once() -> None:
    adopted = MCPServer("Shop")
    done: list[str | None] = []

    @adopted.tool()
    async def order(ctx: Context) -> Any:
        if ctx.input_responses is None:
            form = types.ElicitRequestFormParams(
                message="How many?", requested_schema=Details.model_json_schema()
            )
            asked = types.ElicitRequest(params=form)
            return types.InputRequiredResult(input_requests={"how": asked}, request_state="of the tool")
        done.append(ctx.request_state)
        return "ordered"

    base = make_tool(lambda *_: None, confirm={"message": "Order?"}, content="any")
    names = {"server": adopted, "listed_name": "order"}
    tool: Any = type("Order", (MCPServerTool, type(base)), names)()
    async with connected(build_server(Toolkit([tool]), name="shop")) as client:
        asked = await send(client)
        question = await send(client, asked.state, {"confirm": _CONFIRMED})
        assert list((question.model_extra or {})["inputRequests"]) == ["how"]
        with pytest.raises(MCPError):  # the state is that of these arguments
            await send(client, question.state, {"how": YES}, what="else")
        assert (await send(client, question.state, {"how": YES})).text == "ordered"
        for again in (question.state, asked.state):
            replayed = await send(client, again, {"how": YES})
            assert list((replayed.model_extra or {})["inputRequests"]) == ["confirm"]
        assert done == ["of the tool"]
