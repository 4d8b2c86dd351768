"""A call that a worker runs is one trace: the span of the request, and below it that of the worker."""

from __future__ import annotations

import asyncio
from typing import Any

from opentelemetry import trace
from toolgen.runtime import ToolConfig, Toolkit
from toolgen.runtime.settings import Settings

from tests.runtime.test_instrumentation import spans
from tests.runtime.tool_factory import make_tool

__all__ = ["spans"]


async def execute(self: Any, request: Any, context: Any) -> Any:
    return 1


def test_the_span_of_a_worker_continues_that_of_the_caller(spans: Any) -> None:
    tool = make_tool(execute, background={"result_ttl": 60})

    async def run() -> None:
        config = ToolConfig(settings=Settings(task_queue="memory"))
        async with Toolkit([tool], config=config) as toolkit:
            with trace.get_tracer("caller").start_as_current_span("caller"):
                assert (await toolkit.call("x", {})).success

    asyncio.run(run())

    found = spans.get_finished_spans()
    caller = next(span for span in found if span.name == "caller")
    calls = [span for span in found if span.name == "execute_tool x"]
    assert len(calls) == 2  # of who waits, and of the worker
    assert {span.context.trace_id for span in calls} == {caller.context.trace_id}
