from toolgen.runtime import Image, ToolContext

from generated.tools.test_image_content import TestImageContentRequest, TestImageContentTool

from ._files import RED_PIXEL


class ImageContent(TestImageContentTool):
    def execute(self, request: TestImageContentRequest, context: ToolContext) -> Image:
        return Image(RED_PIXEL)
