"""Welcome: implementation of specs/greet.yaml."""

from generated.tools.welcome import WelcomeRequest, WelcomeResponse, WelcomeTool
from toolgen.runtime import ToolContext


class Welcome(WelcomeTool):
    """Greets."""

    async def execute(self, request: WelcomeRequest, context: ToolContext) -> WelcomeResponse:
        """Return the greeting."""
        return WelcomeResponse(message=f"Hello, {request.name}!")
