from collections.abc import Sequence

from toolgen.runtime import File, Image, Text, ToolContext

from generated.tools.test_multiple_content_types import (
    TestMultipleContentTypesRequest,
    TestMultipleContentTypesTool,
)

from ._files import RED_PIXEL


class MultipleContentTypes(TestMultipleContentTypesTool):
    async def execute(
        self, request: TestMultipleContentTypesRequest, context: ToolContext
    ) -> Sequence[Text | Image | File]:
        return [
            Text("Multiple content types test:"),
            Image(RED_PIXEL),
            File(b'{"test":"data","value":123}', uri="test://mixed-content-resource"),
        ]
