from toolgen.runtime import ToolContext

from generated.tools.test_input_required_result_request_state import (
    TestInputRequiredResultRequestStateRequest,
    TestInputRequiredResultRequestStateTool,
)


class Confirmed(TestInputRequiredResultRequestStateTool):
    async def execute(self, request: TestInputRequiredResultRequestStateRequest, context: ToolContext) -> str:
        return "Hello, and state-ok."
