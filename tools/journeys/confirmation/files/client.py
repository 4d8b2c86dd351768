"""A client whose user says no, and then yes."""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp_types import ElicitRequestParams, ElicitResult

ANSWERS = ["decline", "accept"]


async def ask(context: object, question: ElicitRequestParams) -> ElicitResult:
    print("asked:", question.message.splitlines()[0])
    answer = ANSWERS.pop(0)
    fields = question.requested_schema.get("properties", {})
    return ElicitResult(action=answer, content=dict.fromkeys(fields, True) if answer == "accept" else None)


async def main() -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "toolgen", "serve"])
    async with Client(server, elicitation_callback=ask) as client:
        for _ in range(2):
            answer = await client.call_tool("wipe", {"list": "groceries"})
            print("answered:", answer.structured_content or answer.content[0].text)


asyncio.run(main())
