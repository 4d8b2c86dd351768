"""double: implementation of specs/double.yaml."""

from generated.tools.double import DoubleRequest, DoubleResponse, DoubleTool, TooLargeError
from toolgen.runtime import ToolContext


class Double(DoubleTool):
    def execute(self, request: DoubleRequest, context: ToolContext) -> DoubleResponse:
        if request.number > 4:
            raise TooLargeError(f"{request.number} is more than four.")
        return DoubleResponse(result=2 * request.number)
