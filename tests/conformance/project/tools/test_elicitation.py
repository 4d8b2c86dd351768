from toolgen.runtime import ToolContext

from generated.tools.test_elicitation import TestElicitationRequest, TestElicitationTool


class Elicitation(TestElicitationTool):
    async def execute(self, request: TestElicitationRequest, context: ToolContext) -> str:
        return "The user agreed."
