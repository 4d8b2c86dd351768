"""Log records, events and spans of calls, and that they cost nothing if they are not used."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from toolgen.runtime import (
    ToolConfig,
    ToolError,
    ToolEvent,
    Toolkit,
)
from toolgen.runtime.settings import Settings

from tests.runtime.tool_factory import make_tool, run

SECRET = "hunter2"


class GoneError(ToolError):
    code = "gone"


async def execute(self: Any, request: Any, context: Any, **injected: Any) -> Any:
    if request.how == "gone":
        raise GoneError
    if request.how == "crash":
        raise ValueError("what happened")
    return 1


def tool(**definition: Any) -> Any:
    return make_tool(execute, errors=(GoneError,), **definition)


def records(caplog: pytest.LogCaptureFixture, how: str, level: int) -> list[tuple[Any, ...]]:
    caplog.set_level(level, "toolgen.runtime")
    caplog.clear()
    response = run(tool(), {"how": how, "password": SECRET})
    assert SECRET not in caplog.text
    found: list[Any] = caplog.records
    assert {record.call_id for record in found} <= {response.metadata["call_id"]}
    assert {record.tool_name for record in found} <= {"x"}
    return [(record.levelname, record.event, getattr(record, "code", None)) for record in found]


def test_a_call_has_records_at_its_start_and_end(caplog: pytest.LogCaptureFixture) -> None:
    assert records(caplog, "well", logging.DEBUG) == [("DEBUG", "started", None), ("INFO", "finished", None)]
    assert caplog.records[-1].seconds >= 0  # type: ignore[attr-defined]
    assert records(caplog, "gone", logging.INFO) == [("INFO", "failed", "gone")]
    assert records(caplog, "crash", logging.INFO) == [("ERROR", "failed", "internal_error")]
    assert records(caplog, "well", logging.WARNING) == []


async def raise_by_attribute(self: Any, request: Any, context: Any) -> Any:
    raise self.GoneError


async def raise_without_import(self: Any, request: Any, context: Any) -> Any:
    raise NotImportedError  # type: ignore[name-defined]  # noqa: F821


async def misspell(self: Any, request: Any, context: Any) -> Any:
    raise self.LostError


@pytest.mark.parametrize(("execute", "reason"), [
    (raise_by_attribute, f"AttributeError: write `from {__name__} import GoneError`, then `raise GoneError(…)` ("),
    (raise_without_import, "NameError: write `from shop import NotImportedError`, then `raise NotImportedError(…)` ("),
    (misspell, "AttributeError ("),
])  # fmt: skip
def test_the_log_says_how_to_import_a_declared_error(
    execute: Any, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    other = type("NotImportedError", (ToolError,), {"code": "other", "__module__": "shop"})
    response = run(make_tool(execute, errors=(GoneError, other)), {})
    assert response.error is not None
    assert response.error.code == "internal_error"
    assert "import" not in response.error.message
    assert caplog.records[-1].message.startswith(f"tool x failed with {reason}call ")


async def fail_in_a_thread(self: Any, request: Any, context: Any) -> Any:
    return await asyncio.to_thread(lambda: 1 // 0)


def test_the_traceback_of_a_failure_begins_with_the_code_of_the_tool(
    caplog: pytest.LogCaptureFixture,
) -> None:
    run(make_tool(fail_in_a_thread), {})
    (failed,) = (record for record in caplog.records if record.exc_info)
    frames = traceback.extract_tb(failed.exc_info[2])  # type: ignore[index]
    assert frames[0].name == "fail_in_a_thread"
    assert frames[-1].name == "<lambda>"


def test_events_are_in_order_with_chunks_in_between() -> None:
    events: list[ToolEvent] = []

    async def lines(self: Any, request: Any, context: Any) -> Any:
        for number in range(2):
            yield number

    streaming = make_tool(lines, stream={"chunk_schema": {"type": "integer"}})
    run(streaming, {}, config=ToolConfig(callback=events.append))
    assert [event.kind for event in events] == ["started", "validated", "chunk", "chunk", "finished"]
    assert [event.data for event in events[2:4]] == [{"number": 1, "chunk": 0}, {"number": 2, "chunk": 1}]


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """Spans of a real tracer provider, which a process can set once."""
    made = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    trace.set_tracer_provider(provider)
    return made


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    exporter.clear()
    return exporter


def test_a_call_is_a_span_that_contains_the_tools_spans(spans: InMemorySpanExporter) -> None:
    def inner(self: Any, request: Any, context: Any) -> Any:  # in a worker thread
        with trace.get_tracer("app").start_as_current_span("query"):
            return 1

    run(make_tool(inner), {})
    query, call = spans.get_finished_spans()
    assert query.parent is not None
    assert call.context is not None
    assert query.parent.span_id == call.context.span_id
    assert call.name == "execute_tool x"
    attributes = dict(call.attributes or {})
    assert len(attributes.pop("toolgen.call_id")) == 16  # type: ignore[arg-type]
    assert attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "x",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "X.",
    }


def test_a_failed_call_is_a_failed_span_without_the_error_text(spans: InMemorySpanExporter) -> None:
    run(tool(), {"how": "crash", "password": SECRET})
    (span,) = spans.get_finished_spans()
    assert span.status.status_code is trace.StatusCode.ERROR
    assert (span.attributes or {})["error.type"] == "internal_error"
    assert "what happened" not in span.to_json()
    assert SECRET not in span.to_json()


async def test_a_span_has_principal_and_session_and_no_arguments(spans: InMemorySpanExporter) -> None:
    toolkit = Toolkit([tool()]).session()
    await toolkit.call("x", {"how": "well", "password": SECRET}, principal="alice")
    await toolkit.call("no such tool", {"password": SECRET}, principal="alice")
    call, unknown = spans.get_finished_spans()
    attributes = call.attributes or {}
    assert attributes["enduser.id"] == "alice"
    assert len(str(attributes["session.id"])) == 32
    assert SECRET not in call.to_json() + unknown.to_json()
    assert unknown.name == "execute_tool"
    assert (unknown.attributes or {})["error.type"] == "unknown_tool"


async def test_the_span_of_a_worker_continues_that_of_the_caller(spans: InMemorySpanExporter) -> None:
    queued = tool(background={"result_ttl": 60})
    config = ToolConfig(settings=Settings(task_queue="memory"))
    async with Toolkit([queued], config=config) as toolkit:
        with trace.get_tracer("caller").start_as_current_span("caller"):
            assert (await toolkit.call("x", {"how": "well"})).success

    found = spans.get_finished_spans()
    caller = next(span for span in found if span.name == "caller")
    calls = [span for span in found if span.name == "execute_tool x"]
    assert len(calls) == 2  # of who waits, and of the worker
    assert {span.context.trace_id for span in calls if span.context} == {
        caller.context and caller.context.trace_id
    }
