from toolgen.runtime import Audio, ToolContext

from generated.tools.test_audio_content import TestAudioContentRequest, TestAudioContentTool

from ._files import SILENCE


class AudioContent(TestAudioContentTool):
    def execute(self, request: TestAudioContentRequest, context: ToolContext) -> Audio:
        return Audio(SILENCE)
