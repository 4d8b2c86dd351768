from toolgen.runtime import File, ToolContext

from generated.tools.test_embedded_resource import TestEmbeddedResourceRequest, TestEmbeddedResourceTool


class EmbeddedResource(TestEmbeddedResourceTool):
    def execute(self, request: TestEmbeddedResourceRequest, context: ToolContext) -> File:
        return File(b"This is an embedded resource content.", uri="test://embedded-resource")
