"""Coercion is the same through every adapter, and reported where the protocol has a field for it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from adapter_samples import Request, closed, define
from mcp import Client
from toolgen import serving
from toolgen.runtime import BaseTool, ToolContext, Toolkit
from toolgen.runtime.adapters.provider import ProviderAdapter

answer_tool_use = ProviderAdapter("anthropic").answer
answer_tool_call = ProviderAdapter("openai").answer

ARGUMENTS = {"n": "5", "rows": '[{"sku": "A", "quantity": "2"}]'}
WANTED = {"n": 5, "rows": [{"sku": "A", "quantity": 2}]}
NOTES = [
    {"path": "$.n", "from": "string", "to": "integer"},
    {"path": "$.rows", "from": "string", "to": "array"},
    {"path": "$.rows[0].quantity", "from": "string", "to": "integer"},
]
ROW = closed({"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}})


class Echo(BaseTool[Request, Any]):
    """Returns its input, and adds metadata of its own."""

    definition = define(
        "echo",
        "Echo.",
        closed({"n": {"type": "integer"}, "rows": {"type": "array", "items": ROW}}),
        targets={"openai": {"strict": False}},
    )
    request_model = Request

    async def execute(self, request: Request, context: ToolContext) -> Any:
        context.metadata["own"] = 1
        return request.given()


def chat(arguments: str) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": "echo", "arguments": arguments}}


def test_mcp_reports_coercions_in_meta() -> None:
    async def work(mode: Any) -> Any:
        async with Client(serving.build_server(Toolkit([Echo()]), name="s"), mode=mode) as client:
            return [await client.call_tool("echo", arguments) for arguments in (ARGUMENTS, WANTED)]

    for mode in ("auto", "legacy"):
        coerced, plain = asyncio.run(work(mode))
        assert [json.loads(result.content[0].text) for result in (coerced, plain)] == [WANTED, WANTED]
        assert coerced.meta["toolgen/coerced"] == NOTES
        assert coerced.meta["toolgen/metadata"] == {"own": 1}
        assert "toolgen/coerced" not in plain.meta


def test_openai_and_anthropic_report_coercions_in_the_response() -> None:
    async def work() -> list[Any]:
        kit = Toolkit([Echo()])
        sent = json.dumps(ARGUMENTS)
        item = {"type": "function_call", "call_id": "1", "name": "echo", "arguments": sent}
        block = {"type": "tool_use", "id": "1", "name": "echo", "input": ARGUMENTS}
        return [
            await answer_tool_call(chat(sent), kit),
            await answer_tool_call(item, kit),
            await answer_tool_use(block, kit),
        ]

    for answer in asyncio.run(work()):
        assert answer.response.content == WANTED
        assert answer.response.metadata["coerced"] == NOTES
        assert answer.response.metadata["own"] == 1
