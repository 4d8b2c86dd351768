import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from generated import ReadLinesChunk, ReadLinesRequest, ReadLinesTool
from toolgen.runtime import ToolContext, Toolkit


class ReadLines(ReadLinesTool):
    def execute(self, request: ReadLinesRequest, context: ToolContext, *, files: Any) -> Iterator[Any]:
        for line in files[request.path]:
            yield {"line": line}


class ReadLinesTyped(ReadLinesTool):
    async def execute(
        self, request: ReadLinesRequest, context: ToolContext, *, files: Any
    ) -> AsyncIterator[ReadLinesChunk]:
        for line in files[request.path]:
            yield ReadLinesChunk(line=line)


files = {"files": {"a": ["one", "two"]}}
for tool in (ReadLines(), ReadLinesTyped()):
    kit = Toolkit([tool], context=files)
    print(ReadLinesTool.response_model, asyncio.run(kit.call("read_lines", {"path": "a"})).content)
