from toolgen.runtime import ToolContext

from generated.tools.test_error_handling import (
    IntendedError,
    TestErrorHandlingRequest,
    TestErrorHandlingTool,
)


class ErrorHandling(TestErrorHandlingTool):
    def execute(self, request: TestErrorHandlingRequest, context: ToolContext) -> str:
        raise IntendedError
