"""Results of other servers are passed on as they came: nulls and absent values, valid or refused.

That of a gateway is compared in tests/end_to_end/gateway, where `show` has a null and absent properties.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

import pytest
from mcp.server import MCPServer
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict
from toolgen.runtime import BaseTool, Toolkit, ToolResponse
from toolgen.runtime.http.tool import HttpTool
from toolgen.serving.adopted.mcp_server import MCPServerTool

from tests.http_server import QuietHandler, serve
from tests.runtime.tool_factory import Anything, code_of


class Order(BaseModel):
    model_config = ConfigDict(extra="allow")

    number: int
    note: str | None = None
    open: str | None = None
    lines: list[Any] = []


DEFINITION: dict[str, Any] = {
    "name": "order",
    "py_name": "order",
    "class_name": "OrderTool",
    "description": "Order.",
    "input_schema": {"type": "object"},
    "output_schema": {
        "type": "object",
        "required": ["number"],
        "properties": {
            "number": {"type": "integer"},
            "note": {"type": "string"},
            "open": {"type": ["string", "null"]},
            "lines": {"type": "array"},
        },
    },
}
CASES = pytest.mark.parametrize(
    ("sent", "is_refused"),
    [
        ({"number": 1}, False),
        ({"number": 1, "open": None, "more": None, "lines": [None]}, False),
        ({"number": 1, "note": None}, True),
        ({"number": 1, "lines": [], "extra": {"a": None, "b": 1.0}}, False),
    ],
)


def check(response: ToolResponse, sent: dict[str, Any], is_refused: bool) -> None:
    if is_refused:
        assert code_of(response) == "invalid_response"
    else:
        assert json.dumps(response.content, sort_keys=True) == json.dumps(sent, sort_keys=True)


@CASES
@pytest.mark.parametrize("model", [Order, None])
def test_an_api(sent: dict[str, Any], is_refused: bool, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Api(QuietHandler):
        def do_GET(self) -> None:
            self.reply(sent)

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serve(Api) as url:
        operation = {
            "method": "GET",
            "path": "/order",
            "base_url": "SHOP_BASE_URL",
            "server": url,
            "accept": "application/json",
        }

        class Tool(HttpTool, BaseTool[Anything, Any]):
            definition: ClassVar[Any] = {**DEFINITION, "x-openapi": operation}
            request_model = Anything
            response_model = model

        check(call(Tool()), sent, is_refused)


@CASES
@pytest.mark.parametrize("model", [Order, None])
def test_an_adopted_server(sent: dict[str, Any], is_refused: bool, model: Any) -> None:
    shop = MCPServer("shop")

    @shop.tool(name="order")
    def order() -> CallToolResult:
        return CallToolResult(content=[TextContent(text=json.dumps(sent))], structured_content=sent)

    class Tool(MCPServerTool, BaseTool[Anything, Any]):
        server = shop
        listed_name = "order"
        definition: ClassVar[Any] = {**DEFINITION, "content": "any"}
        request_model = Anything
        response_model = model

    check(call(Tool()), sent, is_refused)


def call(tool: BaseTool[Any, Any]) -> ToolResponse:
    async def work() -> ToolResponse:
        async with Toolkit([tool]) as toolkit:
            return await toolkit.call("order", {})

    return asyncio.run(work())
