"""LangChain: real agents and graphs with a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from toolgen.runtime import Toolkit
from toolgen.serving.bridges import langchain_tools

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

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}
APPROVE = {"decisions": [{"type": "approve"}]}
REJECT = {"decisions": [{"type": "reject"}]}


class Model(GenericFakeChatModel):
    """A model with scripted answers."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        return self


def says(*calls: tuple[str, Any]) -> AIMessage:
    made = [{"name": n, "args": a, "id": f"call_{i}", "type": "tool_call"} for i, (n, a) in enumerate(calls)]
    return AIMessage(content="" if calls else "Done.", tool_calls=made)


def agent(tools: list[BaseTool], *turns: AIMessage) -> Any:
    return create_agent(Model(messages=iter([*turns, says()])), tools, checkpointer=InMemorySaver())


def start(graph: Any, config: RunnableConfig = THREAD) -> dict[str, Any]:
    result: dict[str, Any] = asyncio.run(graph.ainvoke({"messages": [("user", "Go.")]}, config))
    return result


def resume(graph: Any, answer: Any) -> dict[str, Any]:
    result: dict[str, Any] = asyncio.run(graph.ainvoke(Command(resume=answer), THREAD))
    return result


def answers(state: dict[str, Any]) -> list[ToolMessage]:
    return [each for each in state["messages"] if isinstance(each, ToolMessage)]


def named(tools: list[BaseTool], name: str) -> BaseTool:
    return next(tool for tool in tools if tool.name == name)


def test_schemas_and_descriptions_are_the_authors(gallery: Toolkit) -> None:
    for tool, definition in zip(
        langchain_tools(gallery, scopes=every_scope), gallery.definitions.values(), strict=True
    ):
        assert (tool.name, tool.description) == (definition["name"], definition["description"])
        assert json.dumps(tool.args_schema) == json.dumps(definition["input_schema"])
        assert tool.args == definition["input_schema"]["properties"]
        sent = convert_to_openai_tool(tool)["function"]["parameters"]
        assert sent["properties"].keys() == definition["input_schema"]["properties"].keys()
        assert tool.return_direct is definition.get("final_answer", False)


def test_an_agent_gets_content_artifact_and_error_texts(gallery: Toolkit) -> None:
    loaded, listed = ("echo", {"text": "ü"}), ("list_content", {})
    graph = agent(
        langchain_tools(gallery, scopes=every_scope),
        says(("create_purchase_order", NO_ORDER), loaded, listed),
    )
    refused, echoed, found = answers(start(graph))
    assert (refused.status, refused.content) == ("error", text_of(gallery, "create_purchase_order", NO_ORDER))
    assert (echoed.status, echoed.content) == ("success", '{"text":"ü"}')
    assert found.content == text_of(gallery, "list_content", {})
    assert echoed.artifact["content"] == {"text": "ü"}
    assert echoed.artifact["final_answer"] is True


def test_a_declared_error_has_its_hint_and_can_be_raised(gallery: Toolkit) -> None:
    tool = named(langchain_tools(gallery.select(names=["load"]), scopes=every_scope), "load")
    assert tool.invoke({"path": "no.txt"}) == text_of(gallery, "load", {"path": "no.txt"})
    tool.handle_tool_error = False
    with pytest.raises(ToolException, match=r"^Error \[path_not_found\]") as raised:
        tool.invoke({"path": "no.txt"})
    assert getattr(raised.value.__cause__, "code", None) == "path_not_found"


def test_the_user_is_asked_by_an_interrupt_and_approves(gallery: Toolkit) -> None:
    before = orders(gallery)
    graph = agent(langchain_tools(gallery, scopes=every_scope), says(("create_purchase_order", ORDER)))
    [asked] = start(graph)["__interrupt__"]
    [action] = asked.value["action_requests"]
    assert (action["name"], action["args"]) == ("create_purchase_order", ORDER)
    assert TOTAL in action["description"]
    assert action["description"].endswith(QUESTION)
    assert orders(gallery) == before
    [message] = answers(resume(graph, APPROVE))
    assert json.loads(str(message.content))["order_number"] == "PO-2026-0005"
    assert orders(gallery) == before + 1


@pytest.mark.parametrize(
    "answer",
    [REJECT, True, {"decisions": []}, {**APPROVE, "call": "other"}],
)  # fmt: skip
def test_only_a_clear_approval_confirms(gallery: Toolkit, answer: Any) -> None:
    before = orders(gallery)
    graph = agent(langchain_tools(gallery, scopes=every_scope), says(("create_purchase_order", ORDER)))
    start(graph)
    [message] = answers(resume(graph, answer))
    assert (message.status, str(message.content)[:16]) == ("error", "Error [declined]")
    assert orders(gallery) == before


def test_the_user_is_not_asked_about_calls_that_are_refused_anyway(gallery: Toolkit) -> None:
    graph = agent(
        langchain_tools(gallery, scopes=every_scope), says(("create_purchase_order", UNKNOWN_SUPPLIER))
    )
    state = start(graph)
    assert "__interrupt__" not in state
    assert str(answers(state)[0].content).startswith("Error [supplier_not_found]: No supplier 99.\nHint: ")


def test_several_calls_of_one_message_are_confirmed_one_by_one() -> None:
    done: list[Any] = []
    calls = [("asking", {"n": 1}), ("asking", {"n": 2})]
    graph = agent(langchain_tools(Toolkit([asking(done)])), says(*calls))
    interrupts = start(graph)["__interrupt__"]
    by_description = {each.value["action_requests"][0]["description"]: each.id for each in interrupts}
    state = resume(graph, {by_description["Do 1?"]: REJECT, by_description["Do 2?"]: APPROVE})
    assert [str(each.content)[:16] for each in answers(state)] == ["Error [declined]", "done"]
    assert done == [{"n": 2}]


def test_every_name_and_value_reaches_a_synchronous_call() -> None:
    [tool] = langchain_tools(Toolkit([mirror()]))
    assert json.loads(tool.invoke(ODD)) == ODD


async def test_every_name_and_value_reaches_a_call_inside_of_a_loop() -> None:
    [tool] = langchain_tools(Toolkit([mirror()]))
    assert json.loads(await tool.ainvoke(ODD)) == ODD
    assert json.loads(tool.invoke(ODD)) == ODD


async def test_context_of_the_call_progress_and_chunks(gallery: Toolkit) -> None:
    gallery.add(worker())
    tools = langchain_tools(gallery, context=lambda config: {"who": config["configurable"]["user"]})
    graph = agent(tools, says(("worker", {}), ("stream_lines", {"lines": ["a", "b"]})))

    config: RunnableConfig = {"configurable": {"thread_id": "1", "user": "ada"}}
    stream = graph.astream({"messages": [("user", "Go.")]}, config, stream_mode="custom")
    reported = [each async for each in stream]
    worked = {"tool_name": "worker", "tool_call_id": "call_0", "progress": 1, "total": 2, "message": "half"}
    assert worked in reported
    assert [each["chunk"] for each in reported if "chunk" in each] == ["a", "b"]
    message = answers(graph.get_state(THREAD).values)[0]
    assert message.content == "ada"
    assert message.artifact["metadata"]["seen"] == 1
