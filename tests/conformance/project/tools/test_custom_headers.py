from toolgen.runtime import ToolContext

from generated.tools.test_custom_headers import TestCustomHeadersRequest, TestCustomHeadersTool


class CustomHeaders(TestCustomHeadersTool):
    def execute(self, request: TestCustomHeadersRequest, context: ToolContext) -> str:
        return request.region
