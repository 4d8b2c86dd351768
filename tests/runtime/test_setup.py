"""Set-up before the first call, its failures and time limit; closing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from toolgen.runtime import BaseTool, Toolkit

from tests.runtime.tool_factory import code_of, make_tool, run


async def execute(self: Any, request: Any, context: Any) -> Any:
    return list(self.seen)


def preparing(setup: Any, close: Any = None, **definition: Any) -> Any:
    tool: Any = make_tool(execute, **definition)
    type(tool).setup = setup
    if close is not None:
        type(tool).close = close
    tool.seen = []
    return tool


async def slowly(self: Any) -> None:
    await asyncio.sleep(0.02)
    self.seen.append("set up")


async def closing(self: Any) -> None:
    self.seen.append("closed")


async def five_at_once(tool: BaseTool[Any, Any]) -> list[Any]:
    toolkit = Toolkit([tool])
    return [r.content for r in await asyncio.gather(*(toolkit.call("x", {}) for _ in range(5)))]


def test_concurrent_first_calls_set_up_once() -> None:
    assert asyncio.run(five_at_once(preparing(slowly))) == [["set up"]] * 5


async def test_a_hanging_set_up_ends_with_the_timeout_and_is_tried_again() -> None:
    async def hangs_once(self: Any) -> None:
        self.seen.append("tried")
        if len(self.seen) == 1:
            await asyncio.sleep(30)

    toolkit = Toolkit([preparing(hangs_once, timeout=0.05)])
    first, second = [await toolkit.call("x", {}) for _ in range(2)]
    assert code_of(first) == "timeout"
    assert second.content == ["tried", "tried"]


async def test_a_toolkit_closes_what_it_set_up() -> None:
    used, idle = preparing(slowly, closing), preparing(slowly, closing, name="idle")
    async with Toolkit([used, idle]) as toolkit:
        await toolkit.select(names=["x"]).session().call("x", {})
        await toolkit.session().close()
        assert used.seen == ["set up"]
    await toolkit.close()
    assert used.seen == ["set up", "closed"]
    assert idle.seen == []


@pytest.mark.parametrize("plain", [False, True])
def test_a_set_up_gets_none_for_an_optional_value(plain: bool) -> None:
    async def in_loop(self: Any, context: Any) -> None:
        self.seen.append(context.get("db"))

    def in_worker(self: Any, context: Any) -> None:
        self.seen.append(context.get("db"))

    injected = [{"name": "db", "type": "sqlite3.Connection", "optional": True}]
    tool = preparing(in_worker if plain else in_loop)
    type(tool).definition["inject"] = injected
    type(tool).execute = lambda self, request, context, *, db: self.seen
    assert run(tool).content == [None]
