import asyncio

from toolgen.runtime import ToolContext

from generated.tools.test_tool_with_progress import TestToolWithProgressRequest, TestToolWithProgressTool


class WithProgress(TestToolWithProgressTool):
    async def execute(self, request: TestToolWithProgressRequest, context: ToolContext) -> str:
        for done in (0, 50, 100):
            await context.report_progress(done, 100)
            await asyncio.sleep(0.05)
        return "Progress was reported."
