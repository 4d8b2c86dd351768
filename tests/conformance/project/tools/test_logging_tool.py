from toolgen.runtime import ToolContext

from generated.tools.test_logging_tool import TestLoggingToolRequest, TestLoggingToolTool


class Logging(TestLoggingToolTool):
    async def execute(self, request: TestLoggingToolRequest, context: ToolContext) -> str:
        context.logger.info("a record for the operator")
        await context.report_progress(1)
        return "Logged."
