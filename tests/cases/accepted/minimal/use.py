import asyncio

import generated
from generated import PingRequest, PingResponse, PingTool
from toolgen.runtime import ToolContext, Toolkit


class Ping(PingTool):
    def execute(self, request: PingRequest, context: ToolContext) -> PingResponse:
        return PingResponse(ok=True)


print(generated.__all__)
kit = Toolkit([Ping()])
print(asyncio.run(kit.call("ping", {})).content)
print(asyncio.run(kit.call("ping", {"anything": [1]})).content)
