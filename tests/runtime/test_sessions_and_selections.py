"""Sessions with extras; selections of a toolkit; tools added and removed at run time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from toolgen.runtime import Toolkit

from tests.runtime.tool_factory import make_tool


async def counts(self: Any, request: Any, context: Any) -> Any:
    context.extras["count"] = context.extras.get("count", 0) + 1
    return context.extras["count"]


async def replaces(self: Any, request: Any, context: Any) -> Any:
    context.extras = {"only": True}


async def test_extras_reach_the_next_call_of_a_session() -> None:
    toolkit = Toolkit([make_tool(counts), make_tool(replaces, name="y")])
    one, other = toolkit.session(), toolkit.session({"count": 10})
    responses = [await one.call("x", {}) for _ in range(3)]
    assert [r.content for r in responses] == [1, 2, 3]
    assert [r.extras for r in responses] == [{"count": 1}, {"count": 2}, {"count": 3}]
    assert (await other.call("x", {})).content == 11
    assert one.extras == {"count": 3}
    await one.call("y", {})
    assert one.extras == {"only": True}


def tagged(name: str, *tags: str, **more: Any) -> Any:
    async def execute(self: Any, request: Any, context: Any) -> Any:
        return name

    return make_tool(execute, name=name, tags=list(tags), **more)


def kit() -> Toolkit:
    return Toolkit([tagged("a", "files"), tagged("b", "files", "web", aliases=["bee"]), tagged("c")])


def test_a_selection_has_the_selected_tools() -> None:
    toolkit = kit()
    assert list(toolkit.select(tags=["web", "none"])) == ["b"]
    assert list(toolkit.select(names=["bee", "c"])) == ["b", "c"]
    assert list(toolkit.select(tags=["files"], predicate=lambda d: d["name"] != "b")) == ["a"]
    with pytest.raises(KeyError, match="nobody"):
        toolkit.select(names=["nobody"])


def test_a_selection_shares_instances_and_answers_only_its_tools() -> None:
    toolkit = kit()
    chosen = toolkit.select(tags=["web"])
    assert chosen.get("b") is toolkit.get("b")
    assert asyncio.run(chosen.call("a", {})).as_text().startswith("Error [unknown_tool]")
    assert asyncio.run(chosen.call("bee", {})).content == "b"


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
