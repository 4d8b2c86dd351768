"""pydantic-ai: real agents, and models that are functions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai import (
    Agent,
    AgentRunResultEvent,
    DeferredToolRequests,
    DeferredToolResults,
    ToolApproved,
    ToolDenied,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel
from toolgen.runtime import Confirmation, Toolkit
from toolgen.serving.bridges import pydantic_ai_toolset
from toolgen.serving.bridges.pydantic_ai import ToolkitChunk, ToolkitProgress

from .helpers import (
    NO_ORDER,
    ODD,
    ORDER,
    QUESTION,
    TOTAL,
    UNKNOWN_SUPPLIER,
    asking,
    every_scope,
    mirror,
    orders,
    text_of,
    worker,
)

pytestmark = pytest.mark.bridges

TURN = tuple[tuple[str, Any], ...]


def says(*turns: TURN) -> FunctionModel:
    """Return a model that makes the calls of each turn, and then finishes."""
    left = iter(turns)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls = next(left, ())
        return ModelResponse([ToolCallPart(name, args) for name, args in calls] or [TextPart("Done.")])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for number, part in enumerate(answer(messages, info).parts):
            if isinstance(part, ToolCallPart):
                arguments = json.dumps(part.args)
                yield {number: DeltaToolCall(part.tool_name, arguments, tool_call_id=part.tool_call_id)}
            elif isinstance(part, TextPart):
                yield part.content

    return FunctionModel(answer, stream_function=stream)


def agent(toolkit: Toolkit, *turns: TURN, **options: Any) -> Agent[Any, Any]:
    toolset = pydantic_ai_toolset(toolkit, **{"scopes": every_scope, **options})
    return Agent(says(*turns), toolsets=[toolset], output_type=[str, DeferredToolRequests], deps_type=object)


def answers(result: Any) -> list[ToolReturnPart]:
    return [part for m in result.all_messages() for part in m.parts if isinstance(part, ToolReturnPart)]


def go(made: Agent[Any, Any], **options: Any) -> Any:
    return asyncio.run(made.run("Go.", **options))


def go_on(made: Agent[Any, Any], result: Any, answer: Any) -> Any:
    [call] = result.output.approvals
    results = DeferredToolResults(approvals={call.tool_call_id: answer})
    return asyncio.run(made.run(message_history=result.all_messages(), deferred_tool_results=results))


def test_definitions_are_the_authors(gallery: Toolkit) -> None:
    model = TestModel(call_tools=[])
    asyncio.run(Agent(model, toolsets=[pydantic_ai_toolset(gallery, id="shop")]).run("Go."))
    assert model.last_model_request_parameters is not None
    published = model.last_model_request_parameters.function_tools
    for tool, definition in zip(published, gallery.definitions.values(), strict=True):
        assert (tool.name, tool.description) == (definition["name"], definition["description"])
        assert json.dumps(tool.parameters_json_schema) == json.dumps(definition["input_schema"])
        assert tool.metadata is not None
        assert tool.metadata["annotations"] == definition["annotations"]
        assert tool.toolset_id == "shop"


def test_an_agent_gets_values_and_metadata(gallery: Toolkit) -> None:
    echoed, listed = answers(go(agent(gallery, (("echo", {"text": "ü"}), ("list_content", {})))))
    assert (echoed.content, echoed.outcome) == ({"text": "ü"}, "success")
    assert echoed.model_response_str() == '{"text":"ü"}'
    assert echoed.metadata["final_answer"] is True
    assert listed.model_response_str() == text_of(gallery, "list_content", {})


def test_refused_arguments_are_a_model_retry(gallery: Toolkit) -> None:
    made = agent(gallery, (("create_purchase_order", NO_ORDER),), (("echo", {"text": "x"}),))
    refused, echoed = answers(go(made))
    assert (refused.outcome, echoed.outcome) == ("retried", "success")
    assert refused.content == text_of(gallery, "create_purchase_order", NO_ORDER)
    again = (("echo", {}),)
    with pytest.raises(UnexpectedModelBehavior, match="exceeded max retries count of 1"):
        go(agent(gallery, again, again, again))


def test_a_declared_error_is_final_and_uses_no_retry(gallery: Toolkit) -> None:
    missing = (("load", {"path": "no.txt"}),)
    found = answers(go(agent(gallery, missing, missing, missing)))
    assert [each.outcome for each in found] == ["failed"] * 3
    assert found[0].content == text_of(gallery, "load", {"path": "no.txt"})


def test_a_call_that_needs_the_user_is_deferred_and_approved(gallery: Toolkit) -> None:
    before = orders(gallery)
    made = agent(gallery, (("create_purchase_order", ORDER),))
    result = go(made)
    [call] = result.output.approvals
    asked = result.output.metadata[call.tool_call_id]
    assert asked["message"] == QUESTION
    assert asked["preview"].endswith(TOTAL)
    assert orders(gallery) == before
    [placed] = answers(go_on(made, result, ToolApproved()))
    assert placed.content["order_number"] == "PO-2026-0005"
    assert orders(gallery) == before + 1


def test_a_denied_call_is_not_executed(gallery: Toolkit) -> None:
    before = orders(gallery)
    made = agent(gallery, (("create_purchase_order", ORDER),))
    [denied] = answers(go_on(made, go(made), ToolDenied("Not today.")))
    assert (denied.outcome, denied.content) == ("denied", "Not today.")
    assert orders(gallery) == before


def test_the_user_is_not_asked_about_calls_that_are_refused_anyway(gallery: Toolkit) -> None:
    [failed] = answers(go(agent(gallery, (("create_purchase_order", UNKNOWN_SUPPLIER),))))
    assert str(failed.content).startswith("Error [supplier_not_found]: No supplier 99.\nHint: ")


def test_the_application_can_ask_with_its_own_callback() -> None:
    done: list[Any] = []

    async def odd_numbers(asked: Confirmation) -> bool:
        return bool(asked.arguments["n"] % 2)

    calls = (("asking", {"n": 1}), ("asking", {"n": 2}))
    yes, no = answers(go(agent(Toolkit([asking(done)]), calls, confirm=odd_numbers)))
    assert (yes.content, no.outcome) == ("done", "failed")
    assert str(no.content).startswith("Error [declined]")
    assert done == [{"n": 1}]


def test_every_name_and_value_reaches_the_tool() -> None:
    for arguments in (ODD, json.dumps(ODD)):
        [answer] = answers(go(agent(Toolkit([mirror()]), (("mirror", arguments),))))
        assert answer.content == ODD


@dataclass
class Deps:
    user: str


async def test_context_of_the_call_progress_and_chunks(gallery: Toolkit) -> None:
    gallery.add(worker())
    turn = (("worker", {}), ("stream_lines", {"lines": ["a", "b"]}))
    made = agent(gallery, turn, context=lambda ctx: {"who": ctx.deps.user})

    async with made.run_stream_events("Go.", deps=Deps("ada")) as events:
        events = [event async for event in events]
    [done] = [each for each in events if isinstance(each, AgentRunResultEvent)]
    worked, streamed = answers(done.result)
    assert worked.content == "ada"
    assert worked.metadata["metadata"]["seen"] == 1
    assert streamed.content == {"lines": ["a", "b"], "line_count": 2}
    [progress] = [each for each in events if isinstance(each, ToolkitProgress)]
    assert (progress.progress, progress.total, progress.message) == (1, 2, "half")
    assert (progress.tool_name, progress.tool_call_id) == ("worker", worked.tool_call_id)
    assert [each.chunk for each in events if isinstance(each, ToolkitChunk)] == ["a", "b"]
