from toolgen.runtime import ToolContext

from generated.tools.test_simple_text import TestSimpleTextRequest, TestSimpleTextTool


class SimpleText(TestSimpleTextTool):
    def execute(self, request: TestSimpleTextRequest, context: ToolContext) -> str:
        return "This is a simple text response for testing."
