"""Calls that run in workers, with the queue of this process."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from toolgen.runtime import ToolConfig, ToolError, Toolkit
from toolgen.runtime.background import tasks as module
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores import call_records
from toolgen.runtime.stores.call_records import (
    LEASE_SECONDS,
)
from toolgen.runtime.stores.store import MemoryStore
from toolgen.runtime.task import Task

from tests.runtime.tool_factory import code_of, make_tool

LOCAL = ToolConfig(settings=Settings(task_queue="memory"))
DONE: list[Any] = []


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    DONE.clear()
    monkeypatch.setattr(call_records, "_MEMORY", MemoryStore())
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(module, "_FIRST_PAUSE", 0.01)


class Refused(ToolError):
    code = "refused"
    description = "Refused."


async def act(self: Any, request: Any, context: Any) -> Any:
    given = request.model_dump()
    DONE.append((given, context.principal))
    await context.report_progress(1, 2, "half")
    await asyncio.sleep(given.get("seconds", 0))
    if given.get("fail"):
        raise Refused(details={"n": 1})
    return {"n": len(DONE)}


def background(execute: Any = act, *, config: ToolConfig = LOCAL, **more: Any) -> Toolkit:
    tool = make_tool(execute, background={"result_ttl": 60}, errors=(Refused,), **more)
    return Toolkit([tool], config=config)


async def test_a_call_waits_for_its_worker_and_gets_progress() -> None:
    seen = []

    async def progress(*report: Any) -> None:
        seen.append(report)

    response = await background().call("x", {"seconds": 0.3}, principal="ann", progress=progress)
    assert response.content == {"n": 1}
    assert seen == [(1, 2, "half")]
    assert DONE == [({"seconds": 0.3}, "ann")]


def test_a_declared_error_comes_back_as_its_class() -> None:
    response = asyncio.run(background().call("x", {"fail": True}))
    assert type(response.error) is Refused
    assert response.error.details == {"n": 1}


async def test_a_submitted_call_is_a_task_of_its_principal() -> None:
    toolkit = background()
    task = await toolkit.submit("x", {"seconds": 0.1}, principal="ann")
    assert isinstance(task, Task)
    status = await toolkit.task(task.id, principal="ann")
    assert status is not None
    assert status.state in ("queued", "running")
    assert await toolkit.task(task.id, principal="bob") is None
    assert await toolkit.task("other", principal="ann") is None
    assert (await toolkit.wait_for(task, principal="ann")).content == {"n": 1}
    status = await toolkit.task(task.id, principal="ann")
    assert status is not None
    assert (status.state, status.progress) == ("finished", (1, 2, "half"))


def test_without_a_queue_the_call_runs_where_it_arrives() -> None:
    response = asyncio.run(background(config=ToolConfig()).submit("x", {}))
    assert not isinstance(response, Task)
    assert response.content == {"n": 1}


async def test_a_cancelled_task_ends_its_tool() -> None:
    ended = []

    async def slow(self: Any, request: Any, context: Any) -> Any:
        DONE.append(1)
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(1)

    toolkit = background(slow)
    task = await toolkit.submit("x", {})
    assert isinstance(task, Task)
    while not DONE:
        await asyncio.sleep(0.01)
    assert not await toolkit.cancel_task("other")
    assert await toolkit.cancel_task(task.id)
    response = await toolkit.wait_for(task)
    status = await toolkit.task(task.id)
    assert status is not None
    assert (status.state, code_of(response)) == ("cancelled", "outcome_unknown")
    assert ended == [1]


async def test_what_the_user_approved_is_checked_again_in_the_worker() -> None:
    price = ["5"]

    async def preview(self: Any, request: Any, context: Any) -> str:
        return price[0]

    toolkit = background(preview=preview, confirm={"message": "Buy?", "preview": True})
    for later, code in (("5", None), ("500", "changed_since_confirmed")):
        task = await toolkit.submit("x", {}, confirm=lambda question: True)
        assert isinstance(task, Task)
        price[0] = later
        assert code_of(await toolkit.wait_for(task)) == code
    assert len(DONE) == 1


async def test_a_key_of_a_task_leads_to_the_same_task() -> None:
    toolkit = background(idempotency={"ttl": 60})
    first = await toolkit.submit("x", {"seconds": 0.1}, idempotency_key="k")
    again = await toolkit.submit("x", {"seconds": 0.1}, idempotency_key="k")
    waited = await toolkit.call("x", {"seconds": 0.1}, idempotency_key="k")
    assert first == again
    assert waited.content == {"n": 1}
    assert len(DONE) == 1


# Workers


class Fixed:
    """A queue that keeps what it got."""

    def __init__(self) -> None:
        self.items: list[tuple[str, str]] = []

    async def put(self, name: str, sealed: str) -> None:
        self.items.append((name, sealed))


async def touch() -> None:
    pass


def queued(toolkit: Toolkit) -> tuple[Any, Fixed]:
    tasks = toolkit._shared.services().tasks
    assert tasks is not None
    queue = Fixed()
    tasks.queue = queue
    return tasks, queue


async def test_a_task_that_was_delivered_twice_is_executed_once() -> None:
    toolkit = background()
    tasks, queue = queued(toolkit)
    task = await toolkit.submit("x", {})
    assert isinstance(task, Task)
    for _ in range(2):
        await tasks.execute(*queue.items[0], touch)
    assert (await toolkit.wait_for(task)).content == {"n": 1}
    assert len(DONE) == 1


@pytest.mark.parametrize("forgery", ["other text", "other task", "other key"])
async def test_what_was_not_sealed_for_the_task_is_not_run(
    forgery: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolkit = background()
    tasks, queue = queued(toolkit)
    await toolkit.submit("x", {"a": 1})
    await toolkit.submit("x", {"a": 2})
    (name, sealed), (_, other) = queue.items
    if forgery == "other text":
        sealed = sealed[:-4] + "AAAA"
    elif forgery == "other task":
        sealed = other
    else:
        tasks._sealer = module.Sealer([b"x" * 32], b"toolgen/task")
    await tasks.execute(name, sealed, touch)
    assert not DONE


@pytest.mark.parametrize(
    ("hints", "starts", "code"),
    [({}, 1, "outcome_unknown"), ({"idempotentHint": True}, 2, None), ({"readOnlyHint": True}, 2, None)],
)
async def test_a_dead_workers_task_is_started_again_only_if_that_does_no_harm(
    hints: Any, starts: int, code: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    toolkit = background(annotations=hints)
    tasks, queue = queued(toolkit)
    task = await toolkit.submit("x", {})
    assert isinstance(task, Task)
    DONE.append("killed")  # a worker starts it, and dies
    await tasks._apply(queue.items[0][0], call_records.starting, "dead")
    now[0] += LEASE_SECONDS + 1
    await toolkit.task(task.id)  # a caller who looks before another worker comes changes nothing
    await tasks.execute(*queue.items[0], touch)
    assert code_of(await toolkit.wait_for(task)) == code
    assert len(DONE) == starts


async def test_a_dead_workers_task_is_queued_again_at_the_first_look(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1000.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    toolkit = background(annotations={"idempotentHint": True})
    tasks, queue = queued(toolkit)
    task = await toolkit.submit("x", {})
    assert isinstance(task, Task)
    await tasks._apply(queue.items[0][0], call_records.starting, "dead")
    now[0] += LEASE_SECONDS - 1
    await toolkit.task(task.id)
    sizes = [len(queue.items)]
    now[0] += 2
    for _ in range(3):
        await toolkit.task(task.id)
        sizes.append(len(queue.items))
    assert sizes == [1, 2, 2, 2]
    assert caplog.messages == ["a call of x has waited 31 s for a worker: queued again"]


async def test_a_task_of_another_version_is_left_to_its_workers() -> None:
    old, new = background(version="1"), background(version="2")
    tasks, queue = queued(old)
    others, _ = queued(new)
    others._sealer = tasks._sealer
    await old.submit("x", {})
    done = []
    for each in (others, tasks, others):
        await each.execute(*queue.items[0], touch)
        done.append(len(DONE))
    assert done == [0, 1, 1]


def test_a_queue_that_cannot_be_used_is_refused_where_the_toolkit_is_made() -> None:
    with pytest.raises(SettingError, match="needs TOOLGEN_TASK_KEY"):
        background(config=ToolConfig(settings=Settings(task_queue="redis://127.0.0.1:1/0")))
