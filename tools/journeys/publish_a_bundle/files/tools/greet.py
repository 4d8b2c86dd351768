"""Greet: implementation of specs/greet.yaml."""

from generated.tools.greet import GreetRequest, GreetResponse, GreetTool
from toolgen.runtime import ToolContext


class Greet(GreetTool):
    """Greets."""

    async def execute(self, request: GreetRequest, context: ToolContext) -> GreetResponse:
        """Return the greeting."""
        return GreetResponse(message=f"Hello, {request.name}!")
