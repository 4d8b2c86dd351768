"""The state of an order."""

from generated.tools.status import StatusRequest, StatusTool
from toolgen.runtime import ToolContext


class Status(StatusTool):
    """Knows every order."""

    def execute(self, request: StatusRequest, context: ToolContext) -> str:
        """Return the state as text."""
        return f"{request.order} is on its way."
