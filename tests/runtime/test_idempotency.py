"""Idempotency keys: a key of a principal's executes a tool once, and every other call gets its answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import Toolkit
from toolgen.runtime.content.block import Block
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.response_codec import dump_response, load_response
from toolgen.runtime.stores import call_records
from toolgen.runtime.stores.call_records import (
    LEASE_SECONDS,
    CallRecords,
    adding,
    claiming,
    finishing,
    observed,
    starting,
)
from toolgen.runtime.stores.store import MemoryStore, SqliteStore, StoreError

from tests.runtime.tool_factory import code_of, make_tool
from tests.scopes import Agreeing

DONE: list[Any] = []


@pytest.fixture(autouse=True)
def fresh_records(monkeypatch: pytest.MonkeyPatch) -> None:
    DONE.clear()
    monkeypatch.setattr(call_records, "_MEMORY", MemoryStore())


async def act(self: Any, request: Any, context: Any) -> Any:
    DONE.append(request.model_dump())
    return {"n": len(DONE)}


def keyed(execute: Any = act, **more: Any) -> Toolkit:
    return Toolkit([make_tool(execute, idempotency={"ttl": 3600}, **more)])


def several(toolkit: Toolkit, *calls: dict[str, Any], at_once: bool = False) -> list[ToolResponse]:
    """Return the responses of calls with the key "k" of ann, unless a call says otherwise."""

    async def run() -> list[ToolResponse]:
        works = [
            toolkit.call(
                "x",
                {key: value for key, value in each.items() if key not in ("key", "principal")},
                idempotency_key=each.get("key", "k"),
                principal=each.get("principal", "ann"),
            )
            for each in calls
        ]
        if at_once:
            return await asyncio.gather(*works)
        return [await each for each in works]

    return asyncio.run(run())


@pytest.mark.parametrize("other", [{"key": "other"}, {"principal": "bob"}, {"principal": None}])
def test_a_key_belongs_to_a_principal(other: dict[str, Any]) -> None:
    responses = several(keyed(), {"a": 1}, {"a": 1, **other})
    assert [each.content for each in responses] == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("key", ["", "a b", "é", "x" * 256, 5])
def test_a_key_that_is_none_is_refused(key: Any) -> None:
    (response,) = several(keyed(), {"key": key})
    assert code_of(response) == "invalid_request"
    assert not DONE


def test_many_calls_at_once_execute_once() -> None:
    async def slow(self: Any, request: Any, context: Any) -> Any:
        DONE.append(1)
        await asyncio.sleep(0.05)
        return {"n": len(DONE)}

    responses = several(keyed(slow), *({"a": 1} for _ in range(50)), at_once=True)
    assert [each.content for each in responses] == [{"n": 1}] * 50
    assert sum("replayed" in each.metadata for each in responses) == 49


async def test_a_call_that_did_not_begin_frees_its_key() -> None:
    async def with_db(self: Any, request: Any, context: Any, *, db: Any) -> Any:
        return db

    needed = [{"name": "db"}]
    toolkit = keyed(with_db, inject=needed)
    first = await toolkit.call("x", {}, idempotency_key="k")
    second = await toolkit.call("x", {}, idempotency_key="k", context={"db": 1})
    assert [code_of(first), code_of(second)] == ["missing_dependency", None]


async def test_a_cancelled_call_has_an_unknown_outcome() -> None:
    async def slow(self: Any, request: Any, context: Any) -> Any:
        DONE.append(1)
        await asyncio.sleep(60)

    toolkit = keyed(slow)
    first = asyncio.create_task(toolkit.call("x", {}, idempotency_key="k"))
    while not DONE:
        await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert code_of(await toolkit.call("x", {}, idempotency_key="k")) == "outcome_unknown"
    assert len(DONE) == 1


async def test_the_user_is_not_asked_about_what_is_done() -> None:
    user = Agreeing()
    toolkit = keyed(confirm={"message": "Sure?"})
    calls = [toolkit.call("x", {}, idempotency_key="k", confirm=user) for _ in range(2)]
    assert [(await each).content for each in calls] == [{"n": 1}, {"n": 1}]
    assert len(user.asked) == 1


async def test_a_store_that_fails_refuses_keys_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise StoreError("down")

    toolkit = keyed()
    monkeypatch.setattr(MemoryStore, "apply", fail)
    with_key = await toolkit.call("x", {}, idempotency_key="k")
    assert [code_of(with_key), code_of(await toolkit.call("x", {}))] == ["not_ready", None]
    assert len(DONE) == 1


def test_a_response_is_the_same_after_its_way_through_a_store() -> None:
    blocks = (Block("image", b"\x00\xff", media_type="image/png", audience=("user",), size=2, sha256="a"),)
    response = ToolResponse(
        "x", True, {"a": ["é", None]}, final_answer=True, metadata={"m": 1}, blocks=blocks
    )
    assert load_response(dump_response(response), "x", {}, {}) == response


# Records


@pytest.fixture(params=["memory", "sqlite"])
def records(request: Any, tmp_path: Path) -> CallRecords:
    is_memory = request.param == "memory"
    return CallRecords(MemoryStore() if is_memory else SqliteStore(tmp_path / "calls.sqlite3"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    return now


def test_an_owner_whose_lease_ended_lost_the_call_for_good(records: CallRecords, clock: list[float]) -> None:
    records.apply("k", claiming, "a", "d", 60)
    clock[0] += LEASE_SECONDS + 1
    record, _ = records.apply("k", claiming, "b", "d", 60)
    assert record is not None
    assert record.state == "lost"
    assert records.apply("k", finishing, "a", b"late") == (record, False)


def test_a_recorded_call_is_started_once_or_as_often_as_allowed(
    records: CallRecords, clock: list[float]
) -> None:
    for key, most, states in (("once", 1, ["running", "lost"]), ("twice", 2, ["running", "running"])):
        records.apply(key, adding, call_records.Record("queued", "d", 600, most=most))
        seen = []
        for owner in ("a", "b"):
            record, _ = records.apply(key, starting, owner)
            assert record is not None
            seen.append(record.state)
            clock[0] += LEASE_SECONDS + 1
        assert seen == states


def test_a_full_memory_refuses_new_calls_and_keeps_the_old() -> None:
    records = CallRecords(MemoryStore(limit=1500))
    records.apply("a", claiming, "a", "d", 60)
    records.apply("b", claiming, "a", "d", 60)
    with pytest.raises(StoreError):
        records.apply("c", claiming, "a", "d", 60)
    with pytest.raises(StoreError):
        records.apply("a", finishing, "a", b"x" * 1500)
    assert records.apply("b", observed)[0] is not None
