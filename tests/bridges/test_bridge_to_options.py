"""Every bridge accepts the adapters' arguments, as functions of the framework's context of a call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from pydantic_ai.exceptions import UserError
from toolgen.runtime import Toolkit, ToolResponse
from toolgen.runtime.call_options import AdapterCallOptions
from toolgen.serving.bridges import langchain_tools
from toolgen.serving.bridges.shared import BridgeOptions

from . import test_bridge_to_openai_agents as openai_agents
from . import test_bridge_to_pydantic_ai as pydantic_ai
from .helpers import ALLOWED, asking, conversation, guarded

pytestmark = pytest.mark.bridges


def by_langchain(toolkit: Toolkit, name: str, user: str, options: dict[str, Any]) -> str:
    of = {key: (lambda config, value=value: value(config["configurable"])) for key, value in options.items()}
    [tool] = [each for each in langchain_tools(toolkit, **of) if each.name == name]
    return str(tool.invoke({"n": 1}, {"configurable": {"user": user}}))


def by_openai_agents(toolkit: Toolkit, name: str, user: str, options: dict[str, Any]) -> str:
    of = {key: (lambda ctx, value=value: value(ctx.context)) for key, value in options.items()}
    agent = openai_agents.shop(toolkit, [(name, {"n": 1})], **of)
    return str(openai_agents.outputs(openai_agents.run(agent, context={"user": user}))[0].output)


def by_pydantic_ai(toolkit: Toolkit, name: str, user: str, options: dict[str, Any]) -> str:
    of = {key: (lambda ctx, value=value: value(ctx.deps)) for key, value in options.items()}
    result = pydantic_ai.go(pydantic_ai.agent(toolkit, ((name, {"n": 1}),), **of), deps={"user": user})
    return "".join(str(each.content) for each in pydantic_ai.answers(result))


BRIDGES = pytest.mark.parametrize("call", [by_langchain, by_openai_agents, by_pydantic_ai])
Call = Callable[[Toolkit, str, str, dict[str, Any]], str]


@BRIDGES
def test_principal_session_progress_and_chunks(call: Call) -> None:
    toolkit = Toolkit([conversation()])
    reported: list[Any] = []
    heard: list[Any] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        reported.append((done, total, message))

    async def listen(chunk: Any) -> None:
        heard.append(chunk)

    options = {
        "principal": lambda state: state["user"],
        "session": lambda state: f"of {state['user']}",
        "progress": lambda state: progress,
        "listen": lambda state: listen,
    }
    for user in ("ada", "ada", "eve"):
        call(toolkit, "conversation", user, options)
    assert reported == [(1, 2, "half")] * 3
    ada, eve = ({"principal": user, "session": f"of {user}"} for user in ("ada", "eve"))
    assert heard == [ada, {"count": 1}, ada, {"count": 2}, eve, {"count": 1}]


@BRIDGES
def test_a_confirmation_token_is_redeemed(call: Call) -> None:
    done: list[Any] = []
    toolkit = Toolkit([asking(done, on_unsupported="two_step")])
    asked: ToolResponse = asyncio.run(toolkit.call("asking", {"n": 1}))
    token = asked.metadata["confirmation"]["token"]
    for _ in range(2):  # once only
        with suppress(UserError):  # pydantic-ai cannot ask
            call(toolkit, "asking", "ada", {"confirmation_token": lambda state: token})
    assert done == [{"n": 1}]


@BRIDGES
def test_missing_scopes_are_refused(call: Call) -> None:
    options = {"scopes": lambda state: ALLOWED if state["user"] == "ada" else frozenset()}
    toolkit = Toolkit([guarded()])
    assert call(toolkit, "guarded", "ada", options) == "in"
    assert call(toolkit, "guarded", "eve", options).startswith("Error [insufficient_scope]")


def test_options_have_the_same_names_as_in_adapters() -> None:
    assert list(BridgeOptions.__annotations__) == list(AdapterCallOptions.__annotations__)
