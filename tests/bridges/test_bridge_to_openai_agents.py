"""The OpenAI Agents SDK: real runs, with a scripted model and with the real client over the loopback interface."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    ToolCallOutputItem,
    UserError,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from openai import AsyncOpenAI
from toolgen.runtime import Toolkit
from toolgen.serving.bridges import openai_agents_tools, pending_question, stop_on_final_answer

from examples.loopback import model_that_calls

from .helpers import (
    NO_ORDER,
    ODD,
    ORDER,
    QUESTION,
    SCOPES,
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

QUIET = RunConfig(tracing_disabled=True)


def says(*turns: list[tuple[str, Any]]) -> ScriptedModel:
    """Return a model that makes the calls of each turn, and then finishes."""
    ids = (f"call_{number}" for number in range(99))
    steps = [[function_call(name, args, call_id=next(ids)) for name, args in turn] for turn in turns]
    return ScriptedModel([*steps, [assistant_message("Done.")]])


def run(agent: Agent[Any], start: Any = "Go.", **options: Any) -> Any:
    return asyncio.run(Runner.run(agent, start, run_config=QUIET, **options))


def outputs(result: Any) -> list[ToolCallOutputItem]:
    return [item for item in result.new_items if isinstance(item, ToolCallOutputItem)]


def shop(gallery: Toolkit, *turns: list[tuple[str, Any]], **options: Any) -> Agent[Any]:
    return Agent(
        name="shop",
        model=says(*turns),
        tools=[*openai_agents_tools(gallery, **{"scopes": every_scope, **options})],
    )


def test_an_agent_gets_the_text_and_the_application_the_response(gallery: Toolkit) -> None:
    turn = [("echo", {"text": "ü"}), ("load", {"path": "no.txt"}), ("create_purchase_order", NO_ORDER)]
    found = outputs(run(shop(gallery, turn)))
    assert [each.output for each in found] == [text_of(gallery, name, arguments) for name, arguments in turn]
    data = [each.custom_data["toolgen"] for each in found if each.custom_data]
    assert data[0]["content"] == {"text": "ü"}
    assert [each["error"] and each["error"]["code"] for each in data] == [
        None, "path_not_found", "invalid_request",
    ]  # fmt: skip


def decide(gallery: Toolkit, agent: Agent[Any], approve: bool) -> tuple[Any, Any]:
    result = run(agent)
    [asked] = result.interruptions
    state = result.to_state()
    (state.approve if approve else state.reject)(asked)
    return asked, run(agent, state)


def test_a_call_that_needs_approval_is_approved(gallery: Toolkit) -> None:
    before = orders(gallery)
    asked, result = decide(gallery, shop(gallery, [("create_purchase_order", ORDER)]), approve=True)
    assert asked.tool_name == "create_purchase_order"
    question = asyncio.run(
        pending_question(gallery, asked.tool_name, json.loads(asked.arguments), scopes=SCOPES)
    )
    assert question is None  # this number exists now
    [placed] = outputs(result)
    assert json.loads(placed.output)["order_number"] == "PO-2026-0005"
    assert orders(gallery) == before + 1


def test_a_rejected_call_is_not_executed(gallery: Toolkit) -> None:
    before = orders(gallery)
    _, result = decide(gallery, shop(gallery, [("create_purchase_order", ORDER)]), approve=False)
    [rejected] = outputs(result)
    assert rejected.output == "Tool execution was not approved."
    assert orders(gallery) == before


def test_pending_question_returns_the_question_and_the_preview(gallery: Toolkit) -> None:
    question = asyncio.run(pending_question(gallery, "create_purchase_order", ORDER, scopes=SCOPES))
    assert question is not None
    assert (question.message, (question.preview or "").endswith(TOTAL)) == (QUESTION, True)
    for name, arguments in [("create_purchase_order", NO_ORDER), ("echo", {"text": "x"}), ("nope", {})]:
        assert asyncio.run(pending_question(gallery, name, arguments, scopes=SCOPES)) is None


def test_the_user_is_not_asked_about_calls_that_are_refused_anyway(gallery: Toolkit) -> None:
    turn = [("create_purchase_order", UNKNOWN_SUPPLIER), ("create_purchase_order", NO_ORDER)]
    result = run(shop(gallery, turn))
    assert not result.interruptions
    assert [each.output.partition(":")[0] for each in outputs(result)] == [
        "Error [supplier_not_found]", "Error [invalid_request]",
    ]  # fmt: skip


def test_a_call_without_confirmation_is_not_executed() -> None:
    done: list[Any] = []
    previews = iter([OSError("no preview yet"), None])

    def preview(self: Any, request: Any, context: Any) -> str:
        if failure := next(previews):
            raise failure
        return "A preview."

    tool = asking(done, preview=True)
    type(tool).preview = preview  # type: ignore[attr-defined]
    result = run(shop(Toolkit([tool]), [("asking", {"n": 1})]))
    assert not result.interruptions
    assert outputs(result)[0].output.startswith("Error [confirmation_required]")
    assert not done


def test_every_name_and_value_reaches_the_tool() -> None:
    [answer] = outputs(run(shop(Toolkit([mirror()]), [("mirror", ODD)])))
    assert json.loads(answer.output) == ODD


def test_context_of_the_call(gallery: Toolkit) -> None:
    agent = shop(Toolkit([worker()]), [("worker", {})], context=lambda ctx: {"who": ctx.context["user"]})
    [answer] = outputs(run(agent, context={"user": "ada"}))
    assert answer.output == "ada"
    assert answer.custom_data is not None
    assert answer.custom_data["toolgen"]["metadata"]["seen"] == 1


def test_a_final_answer_ends_the_run_and_an_error_does_not(gallery: Toolkit) -> None:
    agent = shop(gallery, [("echo", {})], [("echo", {"text": "bye"})], [("echo", {"text": "not reached"})])
    agent.tool_use_behavior = stop_on_final_answer
    result = run(agent)
    assert result.final_output == '{"text":"bye"}'
    assert len(outputs(result)) == 2


def grouped(load: str = "deferred") -> Toolkit:
    """A tool in a group, and one without."""
    first, second = mirror(), worker()
    fields = {"group": "shop", "load": load, "targets": {"openai": {"allowed_callers": ["direct"]}}}
    type(first).definition = {**first.definition, **fields}
    return Toolkit([first, second])


def test_models_of_other_apis_get_plain_functions() -> None:
    with model_that_calls("mirror", {}) as url:
        client = AsyncOpenAI(base_url=url, api_key="k", max_retries=0)
        agent = Agent(name="a", model=OpenAIChatCompletionsModel("m", client))
        result = run(agent.clone(tools=openai_agents_tools(grouped(), api="chat")))
        with pytest.raises(UserError, match="only supported with OpenAI Responses"):
            run(agent.clone(tools=openai_agents_tools(grouped())))
    assert outputs(result)[0].output == "{}"
