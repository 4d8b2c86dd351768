"""A cancelled call ends with the CancelledError of its caller, even if the tool raises something else.

anyio recognises only its own CancelledErrors: any other one ends the server of all tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import anyio
import pytest
from toolgen.runtime import BaseTool, ToolConfig, ToolContext, Toolkit
from toolgen.runtime.errors import UnreachableError
from toolgen.runtime.execution.threads.event_loop import run_event_loop

from tests.runtime.tool_factory import make_tool

PATIENCE = 60.0  # seconds
STREAM = {"stream": {"chunk_schema": {"type": "integer"}}}
INJECT = {"inject": [{"name": "value", "type": "typing.Any"}]}
PREVIEW = {"confirm": {"message": "Really?", "preview": True, "on_unsupported": "two_step"}}


def _raise(error: BaseException) -> Callable[[], NoReturn]:
    def leave() -> NoReturn:
        raise error

    return leave


def exits() -> dict[str, Callable[[], Any]]:
    """Return the ways in which code can leave when it is cancelled, by name."""
    group = BaseExceptionGroup("g", [asyncio.CancelledError(), OSError("in a group")])
    return {
        "re_raise": lambda: None,
        "os_error": _raise(OSError("no space left")),
        "tool_error": _raise(UnreachableError("away")),
        "cancelled_group": _raise(group),
        "new_cancellation": _raise(asyncio.CancelledError()),
        "system_exit": _raise(SystemExit(3)),
    }


EXITS = list(exits())


@dataclass
class Pause:
    """A place where code waits until it is cancelled, and then leaves in its own way."""

    exit: str
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    armed: bool = True  # False: the code does not wait

    async def __call__(self) -> None:
        if not self.armed:
            return
        self.armed = False
        self.reached.set()
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            if not self.exit.startswith("swallow"):
                exits()[self.exit]()
                raise


@dataclass
class Case:
    """A toolkit whose tool `x` pauses in one place."""

    tool: BaseTool[Any, Any]
    context: dict[str, Any] = field(default_factory=dict)
    config: ToolConfig = field(default_factory=ToolConfig)
    options: dict[str, Any] = field(default_factory=dict)
    code: str | None = None  # of the next call, which nothing cancels


async def _one(self: Any, request: Any, context: ToolContext) -> int:
    return 1


def _setup(pause: Pause) -> Case:
    async def setup(self: Any) -> None:
        await pause()

    return Case(_with(make_tool(_one), setup=setup))


def _with(tool: BaseTool[Any, Any], **methods: Any) -> BaseTool[Any, Any]:
    made: BaseTool[Any, Any] = type("XTool", (type(tool),), methods)()
    return made


def _execute(pause: Pause) -> Case:
    async def execute(self: Any, request: Any, context: ToolContext) -> int:
        await pause()
        return 1

    return Case(make_tool(execute, timeout=PATIENCE))


def _injected() -> BaseTool[Any, Any]:
    async def execute(self: Any, request: Any, context: ToolContext, *, value: Any) -> int:
        return 1

    return make_tool(execute, **INJECT)


def _release(pause: Pause) -> Case:
    @asynccontextmanager
    async def value() -> AsyncIterator[int]:
        yield 1
        await pause()

    return Case(_injected(), {"value": value})


def _preview(pause: Pause) -> Case:
    async def preview(self: Any, request: Any, context: ToolContext) -> str:
        await pause()
        return "What it will do."

    return Case(make_tool(_one, preview=preview, **PREVIEW), options={"confirm": lambda asked: True})


def _confirm(pause: Pause) -> Case:
    async def confirm(asked: Any) -> bool:
        await pause()
        return True

    return Case(make_tool(_one, confirm={"message": "Really?"}), options={"confirm": confirm})


def _stream(pause: Pause) -> Case:
    async def execute(self: Any, request: Any, context: ToolContext) -> AsyncIterator[int]:
        yield 1
        await pause()

    return Case(make_tool(execute, **STREAM))


PLACES: dict[str, Callable[[Pause], Case]] = {
    "setup": _setup,
    "execute": _execute,
    "release": _release,
    "preview": _preview,
    "confirm": _confirm,
    "stream": _stream,
}

Call = Callable[[], Awaitable[Any]]


async def _by_task(call: Call, reached: asyncio.Event) -> None:
    """Cancel the task, with a message."""
    task = asyncio.ensure_future(call())
    await reached.wait()
    task.cancel("by the caller")
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert task.cancelled()
    assert caught.value.args == ("by the caller",)


async def _by_scope(call: Call, reached: asyncio.Event) -> None:
    """Cancel an anyio scope. A CancelledError that anyio does not recognise would escape from it."""
    with anyio.CancelScope() as scope:
        _soon(reached, scope.cancel)
        await call()
    assert scope.cancelled_caught
    await anyio.sleep(0)


def _soon(reached: asyncio.Event, act: Callable[[], object]) -> None:
    """Do `act` when the place is reached; asyncio's own task, which no scope cancels."""
    waiting = asyncio.ensure_future(reached.wait())
    waiting.add_done_callback(lambda _: act())


CALLERS = {
    "task": _by_task,
    "scope": _by_scope,
}


async def _cancel(place: str, leaving: str, caller: str) -> None:
    pause = Pause(leaving)
    case = PLACES[place](pause)
    toolkit = Toolkit([case.tool], context=case.context, config=case.config)

    async def call() -> Any:
        return await toolkit.call("x", {}, **case.options)

    async with asyncio.timeout(PATIENCE):
        await CALLERS[caller](call, pause.reached)
        response = await call()
    assert response.error is None, response
    await toolkit.close()


FEW = ("os_error", "system_exit")
CELLS = [
    pytest.param(
        place, leaving, caller, marks=() if leaving in FEW and caller == "scope" else pytest.mark.slow
    )
    for place in PLACES
    for leaving in EXITS
    for caller in CALLERS
]


@pytest.mark.parametrize(("place", "leaving", "caller"), CELLS)
def test_the_callers_own_cancellation_comes_out(place: str, leaving: str, caller: str) -> None:
    run_event_loop(lambda: _cancel(place, leaving, caller))


async def _ignore(place: str) -> None:
    pause = Pause("swallow")
    case = PLACES[place](pause)
    toolkit = Toolkit([case.tool], context=case.context, config=case.config)
    with anyio.CancelScope() as scope:
        _soon(pause.reached, scope.cancel)
        response = await toolkit.call("x", {}, **case.options)
        assert response.success
    await anyio.sleep(0)
    assert (await toolkit.call("x", {}, **case.options)).success


@pytest.mark.parametrize("place", PLACES)
def test_a_tool_that_ignores_the_cancellation_harms_nobody(place: str) -> None:
    run_event_loop(lambda: _ignore(place))


def test_a_cancelled_call_is_logged_with_what_the_tool_raised(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    run_event_loop(lambda: _cancel("execute", "os_error", "task"))
    record = next(each for each in caplog.records if getattr(each, "event", "") == "cancelled")
    assert "was cancelled, and raised OSError" in record.message
    assert "no space left" not in caplog.text
    assert caplog.text.count("OSError\n") == 1  # the two exceptions refer to each other
