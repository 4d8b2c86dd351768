from toolgen.runtime import ToolContext

from generated.tools.test_streaming_elicitation import (
    TestStreamingElicitationRequest,
    TestStreamingElicitationTool,
)


class StreamingElicitation(TestStreamingElicitationTool):
    async def execute(self, request: TestStreamingElicitationRequest, context: ToolContext) -> str:
        return "The user agreed."
