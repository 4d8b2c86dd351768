"""double: implementation of specs/double.yaml."""

from generated.tools.double import DoubleRequest, DoubleResponse, DoubleTool
from toolgen.runtime import ToolContext


class Double(DoubleTool):
    def execute(self, request: DoubleRequest, context: ToolContext) -> DoubleResponse:
        return DoubleResponse(result=int(4 * request.number / request.number))
