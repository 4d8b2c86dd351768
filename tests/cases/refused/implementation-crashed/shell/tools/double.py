"""double: implementation of specs/double.yaml."""

import os

from generated.tools.double import DoubleRequest, DoubleResponse, DoubleTool
from toolgen.runtime import ToolContext


class Double(DoubleTool):
    def execute(self, request: DoubleRequest, context: ToolContext) -> DoubleResponse:
        os._exit(7)
