"""Tools whose results come in chunks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from adapter_samples import Request, define
from toolgen.runtime import BaseTool, ToolContext, Toolkit

CHUNKS: dict[str, Any] = {"chunk_schema": {"type": ["string", "object"]}}


class Lines(BaseTool[Request, Any]):
    """An async generator: texts and objects."""

    definition = define("lines", "Lines.", {"type": "object"}, stream=CHUNKS)
    request_model = Request

    async def execute(self, request: Request, context: ToolContext) -> AsyncIterator[Any]:
        for chunk in ("größer", {"n": 1}, "end"):
            yield chunk


class PlainLines(BaseTool[Request, Any]):
    """A plain generator, which runs in a worker thread."""

    definition = define("plain_lines", "Lines.", {"type": "object"}, stream=CHUNKS)
    request_model = Request

    def execute(self, request: Request, context: ToolContext) -> Iterator[Any]:
        yield from ("größer", {"n": 1}, "end")


class Broken(BaseTool[Request, Any]):
    """Fails after its first chunk."""

    definition = define("broken", "Break.", {"type": "object"}, stream=CHUNKS)
    request_model = Request

    async def execute(self, request: Request, context: ToolContext) -> AsyncIterator[Any]:
        yield "one"
        raise ValueError("inside")


class Endless(BaseTool[Request, Any]):
    """Continues until it is closed, and records that."""

    definition = define("endless", "Go on.", {"type": "object"}, stream=CHUNKS)
    request_model = Request

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def execute(self, request: Request, context: ToolContext) -> AsyncIterator[Any]:
        try:
            while True:
                yield "more"
                await asyncio.sleep(0.01)
        finally:
            self.seen.append("closed")


def streams() -> Toolkit:
    return Toolkit([Lines(), PlainLines(), Broken(), Endless()])
