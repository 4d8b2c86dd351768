import asyncio

from generated import OldRequest, OldResponse, OldTool
from toolgen.runtime import ToolContext, Toolkit


class Old(OldTool):
    def execute(self, request: OldRequest, context: ToolContext) -> OldResponse:
        print(request)
        return OldResponse(ok=True)


for arguments in ({"unit": "C", "place": {"lat": 1}}, {"unit": "C"}, {"pair": ["a", 1]}, {"pair": [1, "a"]}):
    answer = asyncio.run(Toolkit([Old()]).call("old", arguments))
    print(answer.content if answer.success else answer.error.code)
