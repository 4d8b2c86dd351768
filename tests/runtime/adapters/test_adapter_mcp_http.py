"""The HTTP application without a socket: headers that repeat arguments."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from toolgen.runtime import Toolkit
from toolgen.serving import asgi_app, build_server

from tests.runtime.tool_factory import make_tool

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def _toolkit(**keywords: Any) -> Toolkit:
    """Return a toolkit with the tool `x`, whose argument `region` has these additional keywords."""

    async def execute(self: Any, request: Any, context: Any) -> str:
        return f"sunny in the {request.region}"

    region = {"type": "string", **keywords}
    return Toolkit([make_tool(execute, input_schema={"type": "object", "properties": {"region": region}})])


def _post(toolkit: Toolkit, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """Call the tool with the region "north"; return status and message."""
    params = {"name": "x", "arguments": {"region": "north"}, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    fields = {
        "host": "localhost",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": "tools/call",
        "mcp-name": "x",
        **headers,
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "server": ("127.0.0.1", 8000),
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
    }
    sent: list[Any] = []

    async def main() -> None:
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return messages.pop() if messages else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        app = asgi_app(build_server(toolkit, name="test"))
        async with app.lifespan():
            await app(scope, receive, send)

    asyncio.run(main())
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_a_header_that_repeats_an_argument_must_agree_with_it() -> None:
    toolkit = _toolkit(**{"x-mcp-header": "Region"})

    status, message = _post(toolkit, {"mcp-param-region": "south"})

    assert status == 400
    assert "Mcp-Param-Region" in message["error"]["message"]
    assert _post(toolkit, {"mcp-param-region": "north"})[0] == 200
