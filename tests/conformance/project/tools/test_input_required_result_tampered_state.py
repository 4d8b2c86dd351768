from toolgen.runtime import ToolContext

from generated.tools.test_input_required_result_tampered_state import (
    TestInputRequiredResultTamperedStateRequest,
    TestInputRequiredResultTamperedStateTool,
)


class Confirmed(TestInputRequiredResultTamperedStateTool):
    async def execute(self, request: TestInputRequiredResultTamperedStateRequest, context: ToolContext) -> str:
        return "Hello, and state-ok."
