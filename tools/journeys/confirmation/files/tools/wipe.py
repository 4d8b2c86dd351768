"""Wipe: implementation of specs/wipe.yaml."""

from generated.tools.wipe import WipeRequest, WipeResponse, WipeTool
from toolgen.runtime import ToolContext


class Wipe(WipeTool):
    """Deletes."""

    def execute(self, request: WipeRequest, context: ToolContext) -> WipeResponse:
        """Delete the list."""
        return WipeResponse(deleted=request.list_)
