"""Sessions with extras; selections of a toolkit; tools added and removed at run time."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from shop import catalog
from toolgen.runtime import Toolkit

from tests.runtime.tool_factory import make_tool


async def counts(self: Any, request: Any, context: Any) -> Any:
    context.extras["count"] = context.extras.get("count", 0) + 1
    return context.extras["count"]


async def replaces(self: Any, request: Any, context: Any) -> Any:
    context.extras = {"only": True}


def test_extras_reach_the_next_call_of_a_session() -> None:
    async def work() -> None:
        toolkit = Toolkit([make_tool(counts), make_tool(replaces, name="y")])
        one, other = toolkit.session(), toolkit.session({"count": 10})
        responses = [await one.call("x", {}) for _ in range(3)]
        assert [r.content for r in responses] == [1, 2, 3]
        assert [r.extras for r in responses] == [{"count": 1}, {"count": 2}, {"count": 3}]
        assert (await other.call("x", {})).content == 11
        assert one.extras == {"count": 3}
        await one.call("y", {})
        assert one.extras == {"only": True}

    asyncio.run(work())


def test_without_a_session_extras_do_not_reach_the_next_call() -> None:
    async def work() -> list[Any]:
        toolkit = Toolkit([make_tool(counts)])
        return [(await toolkit.call("x", {})).content for _ in range(2)]

    assert asyncio.run(work()) == [1, 1]


def tagged(name: str, *tags: str, **more: Any) -> Any:
    async def execute(self: Any, request: Any, context: Any) -> Any:
        return name

    return make_tool(execute, name=name, tags=list(tags), **more)


def kit() -> Toolkit:
    return Toolkit([tagged("a", "files"), tagged("b", "files", "web", aliases=["bee"]), tagged("c")])


def test_groups_and_lookups() -> None:
    toolkit = kit()
    assert toolkit.tags == {"files": ("a", "b"), "web": ("b",)}
    assert list(toolkit) == ["a", "b", "c"]
    assert "bee" in toolkit
    assert "d" not in toolkit
    assert toolkit.get("bee") is toolkit.get("b")


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


def test_a_selection_of_a_catalog_has_its_context() -> None:
    chosen = catalog.toolkit().select(names=["create_order"])
    order = {"supplier_id": 1, "items": [{"sku": "AB-1", "quantity": 2}]}
    assert asyncio.run(chosen.call("create_order", order)).content == {"order_id": 7, "total": 5.0}


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


def test_a_name_can_be_used_by_one_tool_only() -> None:
    toolkit = kit()
    with pytest.raises(ValueError, match="two tools answer to 'bee'"):
        toolkit.add(tagged("bee"))
    with pytest.raises(KeyError):
        toolkit.remove("nobody")
    wrong: Any = object()
    with pytest.raises(TypeError):
        toolkit.add(wrong)
    assert list(toolkit) == ["a", "b", "c"]


def test_a_replaced_tool_answers_under_the_old_name() -> None:
    toolkit = kit()
    assert asyncio.run(toolkit.call("c", {})).content == "c"
    toolkit.remove("c")

    async def execute(self: Any, request: Any, context: Any) -> Any:
        return "new"

    toolkit.add(make_tool(execute, name="c"))
    assert asyncio.run(toolkit.call("c", {})).content == "new"


def test_threads_can_change_a_toolkit_while_it_is_used() -> None:
    toolkit = kit()

    def change(number: int) -> None:
        for turn in range(20):
            toolkit.add(tagged(f"t{number}_{turn}"))
            assert asyncio.run(toolkit.call(f"t{number}_{turn}", {})).content == f"t{number}_{turn}"
            if turn % 2:
                toolkit.remove(f"t{number}_{turn}")

    threads = [threading.Thread(target=change, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(toolkit) == sorted(
        ["a", "b", "c", *(f"t{n}_{t}" for n in range(4) for t in range(0, 20, 2))]
    )


def test_a_failing_listener_does_not_affect_the_others(caplog: pytest.LogCaptureFixture) -> None:
    toolkit, seen = kit(), list[str]()

    def fails() -> None:
        raise OSError("gone")

    toolkit.on_change(fails)
    toolkit.on_change(lambda: seen.append("told"))
    toolkit.remove("a")
    assert seen == ["told"]
    assert "a listener for changes" in caplog.text
