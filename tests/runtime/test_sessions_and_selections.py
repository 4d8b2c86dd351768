"""Sessions with extras; selections of a toolkit; tools added and removed at run time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from toolgen.runtime import Toolkit

from tests.runtime.tool_factory import make_tool


async def replaces(self: Any, request: Any, context: Any) -> Any:
    context.extras = {"only": True}


async def test_a_tool_may_replace_the_extras_of_a_session() -> None:
    session = Toolkit([make_tool(replaces)]).session({"count": 10})
    await session.call("x", {})
    assert session.extras == {"only": True}


def tagged(name: str, *tags: str, **more: Any) -> Any:
    async def execute(self: Any, request: Any, context: Any) -> Any:
        return name

    return make_tool(execute, name=name, tags=list(tags), **more)


def kit() -> Toolkit:
    return Toolkit([tagged("a", "files"), tagged("b", "files", "web", aliases=["bee"]), tagged("c")])


def test_a_selection_shares_instances_and_answers_only_its_tools() -> None:
    toolkit = kit()
    chosen = toolkit.select(tags=["web"])
    assert chosen.get("b") is toolkit.get("b")
    assert asyncio.run(chosen.call("a", {})).as_text().startswith("Error [unknown_tool]")
    assert asyncio.run(chosen.call("bee", {})).content == "b"
    with pytest.raises(KeyError, match="nobody"):
        toolkit.select(names=["nobody"])


def test_tools_can_be_added_and_removed_at_run_time() -> None:
    toolkit, seen = kit(), list[list[str]]()
    session, chosen = toolkit.session(), toolkit.select()
    forget = toolkit.on_change(lambda: seen.append(list(toolkit)))
    toolkit.add(tagged("d"))
    toolkit.remove("bee")
    forget()
    toolkit.remove("a")
    assert seen == [["a", "b", "c", "d"], ["a", "c", "d"]]
    assert list(session) == ["c", "d"]
    assert list(chosen) == ["a", "b", "c"]
    assert asyncio.run(session.call("d", {})).content == "d"
    assert asyncio.run(toolkit.call("b", {})).as_text().startswith("Error [unknown_tool]")
