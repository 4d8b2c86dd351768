"""`final_answer`: no failure is final, and only booleans are accepted."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from mcp import Client
from toolgen.runtime import ToolContext, Toolkit

from generated import mcp_server
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from tests.end_to_end.project import ERAS, error_code


async def test_a_call_that_times_out_is_not_final() -> None:
    class Hanging(EchoTool):
        definition: ClassVar[Any] = {**EchoTool.definition, "timeout": 0.05}

        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            context.final_answer = True
            await asyncio.sleep(30)
            raise AssertionError

    response = await Toolkit([Hanging()]).call("echo", {"text": ""})
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
