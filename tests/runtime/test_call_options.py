"""A misspelt option of a call is a TypeError that names it, wherever options are taken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from toolgen.runtime import BaseTool, ToolContext, Toolkit
from toolgen.runtime.adapters.provider import ProviderAdapter

from tests.runtime.tool_factory import Anything, make_tool

ADAPTER = ProviderAdapter("openai")

CALL = {"type": "function_call", "call_id": "1", "name": "echo", "arguments": "{}"}


def echo() -> BaseTool[Any, Any]:
    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        return context.principal

    return make_tool(execute, name="echo")


async def _first(stream: Any) -> Any:
    return await anext(stream)


@pytest.mark.parametrize(
    "call",
    [
        lambda toolkit, **options: asyncio.run(toolkit.call("echo", {}, **options)),
        lambda toolkit, **options: asyncio.run(_first(toolkit.stream("echo", {}, **options))),
        lambda toolkit, **options: asyncio.run(ADAPTER.execute(CALL, toolkit, **options)),
        lambda toolkit, **options: asyncio.run(ADAPTER.run([CALL], toolkit, **options)),
    ],
    ids=[
        "call",
        "stream",
        "execute",
        "run",
    ],
)
def test_a_misspelt_option_is_refused_by_name(call: Callable[..., Any]) -> None:
    toolkit = Toolkit([echo()])
    with pytest.raises(TypeError, match="unexpected keyword argument 'principle'"):
        call(toolkit, principle="ada")
    toolkit.close_sync()
