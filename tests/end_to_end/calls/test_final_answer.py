"""`final_answer`: a response can override the spec, through every adapter."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest
from mcp import Client
from toolgen.runtime import BaseTool, ToolContext, Toolkit

from examples.store.reader import Reader
from generated import mcp_server
from generated.models.sql_query import SqlQueryRequest, SqlQueryResponse
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from generated.tools.sql_query import SqlQueryTool
from tests.end_to_end.project import ERAS, error_code
from tests.scopes import granting


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


def toolkit_of(tool: BaseTool[Any, Any]) -> Toolkit:
    return Toolkit([tool], context={"reader": Reader(Path("never.db"))}, config=granting())


def call_over_mcp(era: Any, tool: BaseTool[Any, Any], arguments: dict[str, Any]) -> Any:
    """Return the result of a call that a client of the SDK makes."""

    async def run() -> Any:
        async with Client(mcp_server.build_server(toolkit_of(tool)), mode=era) as client:
            return await client.call_tool(str(tool.name), arguments)

    return asyncio.run(run())


@ERAS
@pytest.mark.parametrize(("tool", "arguments", "final"), TOOLS)
def test_a_final_answer_is_marked_over_mcp(
    era: Any, tool: BaseTool[Any, Any], arguments: dict[str, Any], final: bool
) -> None:
    result = call_over_mcp(era, tool, arguments)
    assert (result.meta or {}).get("toolgen/final_answer", False) is final


def test_a_call_that_times_out_is_not_final() -> None:
    class Hanging(EchoTool):
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
