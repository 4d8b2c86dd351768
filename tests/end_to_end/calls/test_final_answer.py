"""`final_answer`: a response can override the spec, through every adapter."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mcp import Client
from toolgen.runtime import BaseTool, ToolContext, ToolError, Toolkit

from examples.store.reader import Reader
from generated import anthropic_tools, mcp_server, openai_tools
from generated.models.sql_query import SqlQueryRequest, SqlQueryResponse
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from generated.tools.sql_query import SqlQueryTool
from tests.end_to_end.project import ERAS, error_code
from tests.scopes import SCOPES, granting


class Echo(EchoTool):
    """The spec says that every answer is final; the request overrides it."""

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        assert context.final_answer is True, "the spec's"
        if request.text != "keep":
            context.final_answer = request.text == "final"
        return EchoResponse(text=request.text)


class Query(SqlQueryTool):
    """The spec says that no answer is final."""

    async def execute(
        self, request: SqlQueryRequest, context: ToolContext, *, reader: object
    ) -> SqlQueryResponse:
        assert context.final_answer is False, "the spec's"
        context.final_answer = "final" in request.query
        return SqlQueryResponse(
            columns=["a"], rows=[], row_count=0, truncated=False, message="None.", warnings=[]
        )


TOOLS: list[tuple[BaseTool[Any, Any], dict[str, Any], bool]] = [
    (Echo(), {"text": "keep"}, True),
    (Echo(), {"text": "not yet"}, False),
    (Query(), {"query": "SELECT 'final'"}, True),
]
CASES = pytest.mark.parametrize(("tool", "arguments", "final"), TOOLS)


def toolkit_of(tool: BaseTool[Any, Any]) -> Toolkit:
    return Toolkit([tool], context={"reader": Reader(Path("never.db"))}, config=granting())


def call_over_mcp(era: Any, tool: BaseTool[Any, Any], arguments: dict[str, Any]) -> Any:
    """Return the result of a call that a client of the SDK makes."""

    async def run() -> Any:
        async with Client(mcp_server.build_server(toolkit_of(tool)), mode=era) as client:
            return await client.call_tool(str(tool.name), arguments)

    return asyncio.run(run())


@ERAS
@CASES
def test_a_final_answer_is_marked_over_mcp(
    era: Any, tool: BaseTool[Any, Any], arguments: dict[str, Any], final: bool
) -> None:
    result = call_over_mcp(era, tool, arguments)
    assert (result.meta or {}).get("toolgen/final_answer", False) is final


@CASES
async def test_through_openai_and_anthropic(
    tool: BaseTool[Any, Any], arguments: dict[str, Any], final: bool
) -> None:
    name = str(tool.name)
    function = {"name": name, "arguments": json.dumps(arguments)}
    block = {"type": "tool_use", "id": "1", "name": name, "input": arguments}

    chat = {"id": "1", "type": "function", "function": function}
    answers = [
        await openai_tools.answer_tool_call(chat, toolkit=toolkit_of(tool), scopes=SCOPES),
        await anthropic_tools.answer_tool_use(block, toolkit=toolkit_of(tool), scopes=SCOPES),
    ]
    assert [response.final_answer for response in [answer.response for answer in answers]] == [final, final]


class MissingEngineError(ToolError):
    """A reserved code, which a tool may raise without declaring it."""

    code = "missing_dependency"


class Unavailable(SqlQueryTool):
    """The tool decides whether its failure is meant for the user."""

    def execute(self, request: SqlQueryRequest, context: ToolContext, *, reader: object) -> SqlQueryResponse:
        if request.query == "crash":
            context.final_answer = True
            raise OSError("no such host")
        context.final_answer = request.query == "final"
        raise MissingEngineError("DB engine not available.")


class UnavailableEcho(EchoTool):
    """The spec says that every answer is final."""

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        if request.text == "final":
            context.final_answer = True
        raise MissingEngineError("Nothing to echo with.")


FAILURES = pytest.mark.parametrize(
    ("tool", "arguments", "final"),
    [
        (Unavailable(), {"query": "final"}, True),
        (Unavailable(), {"query": "not final"}, False),
        (Unavailable(), {"query": "crash"}, False),
        (Unavailable(), {}, False),
        (UnavailableEcho(), {"text": "final"}, True),
        (UnavailableEcho(), {"text": "by the spec"}, False),
        (UnavailableEcho(), {}, False),
    ],
)


@ERAS
@FAILURES
def test_a_final_failure_is_marked_over_mcp(
    era: Any, tool: BaseTool[Any, Any], arguments: dict[str, Any], final: bool
) -> None:
    result = call_over_mcp(era, tool, arguments)
    assert result.is_error
    assert result.meta.get("toolgen/final_answer", False) is final


def test_a_call_that_times_out_is_not_final() -> None:
    class Hanging(UnavailableEcho):
        definition: ClassVar[Any] = {**EchoTool.definition, "timeout": 0.05}

        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            context.final_answer = True
            await asyncio.sleep(30)
            raise AssertionError

    response = asyncio.run(toolkit_of(Hanging()).call("echo", {"text": ""}))
    assert response.error is not None
    assert (response.error.code, response.final_answer) == ("timeout", False)


@ERAS
async def test_only_booleans_are_accepted(era: Any) -> None:
    class Wrong(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            context.final_answer = "yes"  # type: ignore[assignment]
            return EchoResponse(text="")

    async with Client(mcp_server.build_server(Toolkit([Wrong()])), mode=era) as client:
        result = await client.call_tool("echo", {"text": ""})
    assert error_code(result) == "invalid_response"
    assert "toolgen/final_answer" not in result.meta
