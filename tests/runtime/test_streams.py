"""Streams collected into one response; each chunk is validated."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.runtime.tool_factory import code_of, make_tool, run

CHUNK = {"chunk_schema": {"type": "object", "required": ["line"]}}
WHOLE = {"type": "object", "required": ["lines"]}


async def async_lines(self: Any, request: Any, context: Any) -> Any:
    for number in range(request.n):
        yield {"line": number}
    if request.whole:
        yield {"lines": request.n}


def plain_lines(self: Any, request: Any, context: Any) -> Any:
    for number in range(request.n):
        yield {"line": number}
    if request.whole:
        yield {"lines": request.n}


async def async_gives_plain(self: Any, request: Any, context: Any) -> Any:
    return plain_lines(self, request, context)


def plain_gives_async(self: Any, request: Any, context: Any) -> Any:
    return async_lines(self, request, context)


KINDS = [async_lines, plain_lines, async_gives_plain, plain_gives_async]


@pytest.mark.parametrize("execute", KINDS)
@pytest.mark.parametrize("timeout", [{}, {"timeout": 5}])
def test_chunks_without_output_schema_are_the_content(execute: Any, timeout: dict[str, Any]) -> None:
    tool = make_tool(execute, stream=CHUNK, **timeout)
    assert run(tool, {"n": 2, "whole": 0}).content == [{"line": 0}, {"line": 1}]
    assert run(tool, {"n": 0, "whole": 0}).content == []
    assert code_of(run(tool, {"n": 2, "whole": 1})) == "invalid_response"


@pytest.mark.parametrize("execute", KINDS)
def test_with_output_schema_the_last_item_is_the_response(execute: Any) -> None:
    tool = make_tool(execute, stream=CHUNK, output_schema=WHOLE)
    assert run(tool, {"n": 2, "whole": 1}).content == {"lines": 2}
    assert run(tool, {"n": 0, "whole": 1}).content == {"lines": 0}
    assert code_of(run(tool, {"n": 2, "whole": 0})) == "invalid_response"
    assert code_of(run(tool, {"n": 0, "whole": 0})) == "invalid_response"


def test_a_stream_may_consist_of_the_response_only() -> None:
    def giving(value: Any, **definition: Any) -> Any:
        async def execute(self: Any, request: Any, context: Any) -> Any:
            return value

        return make_tool(execute, stream=CHUNK, **definition)

    assert run(giving([{"line": 1}])).content == [{"line": 1}]
    assert run(giving({"lines": 1}, output_schema=WHOLE)).content == {"lines": 1}
    assert code_of(run(giving([{"row": 1}]))) == "invalid_response"


@pytest.mark.parametrize("kind", ["async", "plain"])
def test_a_stream_that_fails_is_closed(kind: str) -> None:
    closed: list[bool] = []

    async def in_loop(self: Any, request: Any, context: Any) -> Any:
        try:
            yield {"row": 1}
            yield {"line": 1}
        finally:
            closed.append(True)

    def in_worker(self: Any, request: Any, context: Any) -> Any:
        try:
            yield {"row": 1}
            yield {"line": 1}
        finally:
            closed.append(True)

    assert (
        code_of(run(make_tool(in_loop if kind == "async" else in_worker, stream=CHUNK))) == "invalid_response"
    )
    assert closed == [True]


def test_a_plain_stream_stops_soon_after_its_timeout() -> None:
    count = [0]

    def endless(self: Any, request: Any, context: Any) -> Any:
        while True:
            count[0] += 1
            time.sleep(0.01)
            yield {"line": count[0]}

    assert code_of(run(make_tool(endless, stream=CHUNK, timeout=0.05))) == "timeout"
    assert count[0] < 30
