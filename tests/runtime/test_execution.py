"""How implementations are run, and how failures are answered."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest
from pydantic import BaseModel
from toolgen.runtime import ToolContext, ToolError, Toolkit

from tests.runtime.tool_factory import code_of, make_tool, run

ANSWER_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["n"],
    "properties": {"n": {"type": "integer", "minimum": 0}, "note": {"type": ["string", "null"]}},
}


class Answer(BaseModel):
    n: int
    note: str | None = None


def test_async_runs_in_the_loop_and_plain_in_a_worker() -> None:
    async def in_loop(self: Any, request: Any, context: ToolContext) -> bool:
        return threading.current_thread() is threading.main_thread()

    def in_worker(self: Any, request: Any, context: ToolContext) -> bool:
        return threading.current_thread() is threading.main_thread()

    assert run(make_tool(in_loop)).content is True
    assert run(make_tool(in_worker)).content is False


def test_the_context_has_call_id_and_tool_name() -> None:
    seen: list[ToolContext] = []

    async def execute(self: Any, request: Any, context: ToolContext) -> None:
        context.extras["k"] = 1
        seen.append(context)

    response = run(make_tool(execute), meta={"trace": "t"})
    assert (seen[0].tool_name, seen[0].meta, response.extras) == ("x", {"trace": "t"}, {"k": 1})
    assert response.metadata["call_id"] == seen[0].call_id
    assert response.as_text() == "null"


@pytest.mark.parametrize(
    "wrong", [StopIteration("s"), TimeoutError("own"), ExceptionGroup("g", [ValueError()])]
)
@pytest.mark.parametrize("timeout", [None, 5])
def test_awkward_exceptions_of_plain_functions_are_internal_errors(
    wrong: Exception, timeout: int | None
) -> None:
    def execute(self: Any, request: Any, context: ToolContext) -> None:
        raise wrong

    extra: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
    assert code_of(run(make_tool(execute, **extra))) == "internal_error"


def test_the_log_has_the_texts_of_an_error_that_is_not_declared(caplog: pytest.LogCaptureFixture) -> None:
    class Closed(ToolError):
        code, hint = "closed", "Come back at nine."

    async def execute(self: Any, request: Any, context: ToolContext) -> None:
        raise Closed("Closed at noon.", details={"since": 12})

    with caplog.at_level(logging.DEBUG, "toolgen.runtime"):
        response = run(make_tool(execute))
    assert "noon" not in response.as_text()
    (detail,) = [record for record in caplog.records if getattr(record, "event", "") == "detail"]
    for text in ("Closed at noon.", "Come back at nine.", "{'since': 12}"):
        assert text in detail.getMessage()


@pytest.mark.parametrize("seconds", [0.05, 30])
def test_a_tool_that_takes_too_long_is_cancelled(seconds: float) -> None:
    ended: list[str] = []

    async def execute(self: Any, request: Any, context: ToolContext) -> str:
        try:
            await asyncio.sleep(0.2)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "done"

    response = run(make_tool(execute, timeout=seconds))
    if seconds == 30:
        assert (response.content, ended) == ("done", [])
    else:
        assert response.as_text() == "Error [timeout]: x did not finish within 0.05 seconds."
        assert response.error is not None
        assert response.error.retryable
        assert ended == ["cancelled"]


async def test_a_worker_thread_that_takes_too_long_is_not_waited_for() -> None:
    answered, ended = threading.Event(), threading.Event()

    def execute(self: Any, request: Any, context: ToolContext) -> None:
        answered.wait(60)
        ended.set()

    response = await Toolkit([make_tool(execute, timeout=0.05)]).call("x", {})
    assert not ended.is_set()
    answered.set()
    assert code_of(response) == "timeout"


def answering(value: Any) -> Any:
    async def execute(self: Any, request: Any, context: ToolContext) -> Any:
        return value

    return make_tool(execute, response_model=Answer, output_schema=ANSWER_SCHEMA)


def test_a_response_is_returned_unchanged() -> None:
    assert run(answering(Answer(n=1))).content == {"n": 1}
    assert run(answering(Answer(n=1, note=None))).content == {"n": 1, "note": None}
    assert run(answering({"n": 2})).content == {"n": 2}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (Answer(n=-1), "$.n: expected at least 0"),
        (None, "$: expected object, got null"),
        ({"n": 1, "note": "\ud800"}, "$.note: expected a JSON value, got text that is not valid Unicode"),
        (object(), "returned object, which is not Answer"),
    ],
)
def test_a_response_that_violates_the_schema_is_not_sent(
    value: Any, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    response = run(answering(value))
    reference = response.metadata["call_id"]
    assert response.as_text() == (
        f"Error [invalid_response]: The tool ran, but its answer breaks its contract. Reference: {reference}."
    )
    assert fault in caplog.text
    assert reference in caplog.text


@pytest.mark.parametrize(
    "value", [float("nan"), [1, (2,)], {"a": {1: 2}}, b"x", {1}, object(), {"a": [float("inf")]}]
)
def test_without_output_schema_only_json_is_returned(value: Any) -> None:
    async def execute(self: Any, request: Any, context: ToolContext) -> Any:
        return value

    assert code_of(run(make_tool(execute))) == "invalid_response"


def test_the_log_of_an_invalid_response_has_no_secret(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def execute(self: Any, request: Any, context: ToolContext) -> Any:
        return {"n": "sk-12345"}

    monkeypatch.setenv("SHOP_API_KEY", "sk-12345")
    tool = make_tool(
        execute, response_model=Answer, output_schema=ANSWER_SCHEMA, auth={"secrets": ["SHOP_API_KEY"]}
    )
    assert code_of(run(tool)) == "invalid_response"
    assert "$.n: expected integer, got a string" in caplog.text
    caplog.set_level("DEBUG")
    run(tool)
    assert '$.n: expected integer, got the string "[secret]"' in caplog.text
    assert "sk-12345" not in caplog.text
