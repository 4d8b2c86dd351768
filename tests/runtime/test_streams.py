"""Streams collected into one response; each chunk is validated."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import RootModel
from toolgen.runtime import ToolResult

from tests.runtime.tool_factory import code_of, make_tool, run

CHUNK = {"chunk_schema": {"type": "object", "required": ["line"]}}
WHOLE = {"type": "object", "required": ["lines"]}


def plain_lines(self: Any, request: Any, context: Any) -> Any:
    for number in range(request.n):
        yield {"line": number}
    if request.whole:
        yield ToolResult({"lines": request.n})


async def async_lines(self: Any, request: Any, context: Any) -> Any:
    for line in plain_lines(self, request, context):
        yield line


async def async_gives_plain(self: Any, request: Any, context: Any) -> Any:
    return plain_lines(self, request, context)


def iterator(self: Any, request: Any, context: Any) -> Any:
    return iter([*plain_lines(self, request, context)])


GENERATORS = [async_lines, plain_lines, async_gives_plain]
KINDS = [*GENERATORS, iterator]


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


TEXTS = {"stream": {"chunk_schema": {"type": "string"}}, "output_schema": {"type": "string"}}


class Text(RootModel[str]):
    """A response model for a text."""


@pytest.mark.parametrize("kind", ["async", "plain"])
@pytest.mark.parametrize(
    ("last", "model"), [(ToolResult("all"), None), (Text("all"), Text), (ToolResult("all"), Text)]
)
def test_a_response_that_is_marked_ends_a_stream_of_equal_chunks(kind: str, last: Any, model: Any) -> None:
    async def in_loop(self: Any, request: Any, context: Any) -> Any:
        yield "one"
        yield "two"
        yield last

    def in_worker(self: Any, request: Any, context: Any) -> Any:
        yield from ["one", "two", last]

    heard: list[Any] = []

    async def listen(chunk: Any) -> None:
        heard.append(chunk)

    tool = make_tool(in_loop if kind == "async" else in_worker, response_model=model, **TEXTS)
    assert run(tool, listen=listen).content == "all"
    assert heard == ["one", "two"]


def test_the_value_that_a_plain_generator_returns_is_the_response() -> None:
    def execute(self: Any, request: Any, context: Any) -> Any:
        yield "one"
        return "all"

    async def gives_plain(self: Any, request: Any, context: Any) -> Any:
        return execute(self, request, context)

    for method in (execute, gives_plain):
        assert run(make_tool(method, **TEXTS)).content == "all"
        without_response = make_tool(method, stream={"chunk_schema": {"type": "string"}})
        assert code_of(run(without_response)) == "invalid_response"  # it is not dropped
