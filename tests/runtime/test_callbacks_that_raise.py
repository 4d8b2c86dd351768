"""No exception of callbacks, loggers, log handlers and progress callbacks reaches a call."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from toolgen.runtime import ToolConfig, ToolContext, ToolEvent, Toolkit
from toolgen.runtime.execution.threads.event_loop import run_event_loop

from tests.runtime.tool_factory import make_tool

KINDS: list[type[BaseException]] = [
    asyncio.CancelledError,
    SystemExit,
]
raises = pytest.mark.parametrize("kind", KINDS)


async def answer(self: Any, request: Any, context: ToolContext) -> int:
    context.logger.warning("working")
    await context.report_progress(1)
    return 1


async def call_twice(config: ToolConfig, **options: Any) -> list[Any]:
    """Return the contents of two calls, and how often the task was asked to cancel."""
    toolkit = Toolkit([make_tool(answer)], config=config)
    contents = [(await toolkit.call("x", {}, **options)).content for _ in range(2)]
    task = asyncio.current_task()
    assert task is not None
    await asyncio.sleep(0)
    return [*contents, task.cancelling()]


def outcome(config: ToolConfig, **options: Any) -> list[Any]:
    return run_event_loop(lambda: call_twice(config, **options))


@raises
def test_a_plain_callback(kind: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    def callback(event: ToolEvent) -> None:
        raise kind

    assert outcome(ToolConfig(callback=callback)) == [1, 1, 0]
    assert "has a callback that raised at 'finished'" in caplog.text


@raises
def test_a_progress_callback(kind: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    async def progress(done: float, total: float | None, message: str | None) -> None:
        raise kind

    assert outcome(ToolConfig(), progress=progress) == [1, 1, 0]
    assert "reporting progress of x failed" in caplog.text
