"""stream_lines: each line as a chunk, then the response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from toolgen.runtime import ToolContext

from generated.tools.stream_lines import (
    StreamLinesChunk,
    StreamLinesRequest,
    StreamLinesResponse,
    StreamLinesTool,
)


class StreamLines(StreamLinesTool):
    async def execute(
        self, request: StreamLinesRequest, context: ToolContext
    ) -> AsyncIterator[StreamLinesChunk | StreamLinesResponse]:
        for number, line in enumerate(request.lines):
            if number and request.pause_ms:
                await asyncio.sleep(request.pause_ms / 1000)
            yield line
        yield StreamLinesResponse(lines=request.lines, line_count=len(request.lines))
