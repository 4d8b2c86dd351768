"""Total: implementation of specs/total.yaml."""

from generated.tools.total import TotalRequest, TotalResponse, TotalTool
from toolgen.runtime import ToolContext


class Total(TotalTool):
    """Adds."""

    async def execute(self, request: TotalRequest, context: ToolContext) -> TotalResponse:
        """Return the sum of the lines."""
        return TotalResponse(message=f"{sum(request.lines)} euros")
