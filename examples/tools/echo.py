"""echo."""

from __future__ import annotations

from toolgen.runtime import ToolContext

from generated.tools.echo import EchoRequest, EchoResponse, EchoTool


class Echo(EchoTool):
    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        return EchoResponse(text=request.text)
