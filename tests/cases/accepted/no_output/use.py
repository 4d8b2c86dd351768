import asyncio
from collections.abc import Iterator
from typing import Any

from generated import ReadLinesRequest, ReadLinesTool
from toolgen.runtime import ToolContext, Toolkit


class ReadLines(ReadLinesTool):
    def execute(self, request: ReadLinesRequest, context: ToolContext, *, files: Any) -> Iterator[Any]:
        for line in files[request.path]:
            yield {"line": line}


kit = Toolkit([ReadLines()], context={"files": {"a": ["one", "two"]}})
print(ReadLinesTool.response_model, asyncio.run(kit.call("read_lines", {"path": "a"})).content)
