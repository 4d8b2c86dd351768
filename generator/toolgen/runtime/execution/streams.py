"""Streams: validate each chunk of a result, pass it to the listener, collect the chunks, within limits.

With an output schema, the last item is the response: an instance of the response model, a ToolResult, or the
value that a plain generator returns. Every other item is a chunk.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterable, Iterator
from contextlib import aclosing, closing, nullcontext
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.values import ToolResult, is_content
from toolgen.runtime.context import Listener
from toolgen.runtime.contract.content_rules import BlockCheck
from toolgen.runtime.contract.result import (
    BrokenContract,
    WrittenResult,
    broken_content,
    write_chunk,
    write_chunks,
    write_result,
)
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import TooLargeError

from .block_reader import BlockReader
from .threads.thread_run import IN_LOOP, Place

if TYPE_CHECKING:
    from .environment import Environment

_NONE = object()
_AHEAD: Final = 64  # chunks that a tool may be ahead of its listener
_CHUNKS_PER_TURN: Final = 16  # before other tasks of the event loop run


class CollectedStream:
    """The chunks of one call so far. If the tool has an output schema, the last item is the response."""

    def __init__(self, contract: ToolContract, environment: Environment) -> None:
        settings = environment.settings
        self.count = 0  # of chunks and blocks
        self.reader: BlockReader | None = None  # None: the tool declares no content
        self._check: BlockCheck | None = None
        if contract.content is not None:
            self.reader = BlockReader(contract, environment, settings.max_stream_bytes, subject="stream")
            self._check = BlockCheck(contract.content)
        self._contract = contract
        self._settings = settings
        self._blocks: list[Block] = []
        self._response: Any = _NONE
        self._chunks: list[Any] = []
        self._bytes = 0

    def add(self, item: Any) -> list[Any]:
        """Add the next item; return it if it is a chunk.

        Raises BrokenContract if it does not satisfy the schema, TooLargeError beyond a limit.
        """
        contract = self._contract
        # without an output schema, every item is a chunk, and the list of them is the result
        if contract.response_schema is None:
            self._chunks.append(self._chunk(item))
            return self._chunks[-1:]
        self._check_is_open()
        if isinstance(item, ToolResult):
            if item.content:
                raise BrokenContract("its stream has a ToolResult with content: yield each block by itself")
            self._response = item.response
        elif contract.response_model is not None and isinstance(item, contract.response_model):
            self._response = item
        else:
            return [self._chunk(item)]
        return []

    def _check_is_open(self) -> None:
        if self._response is not _NONE:
            raise BrokenContract("its stream goes on after the response")

    def add_block(self, block: Block) -> list[Any]:
        """Add the next item, a block; return it.

        Raises BrokenContract if it is not declared, TooLargeError beyond a limit.
        """
        self._check_is_open()
        if self._check is not None and (fault := self._check.add(block)) is not None:
            raise broken_content([fault])
        self._blocks.append(block)
        self._count(len(block.data))
        return [block]

    def items_of(self, result: Any) -> list[Any]:
        """Return the items of what `execute` has returned and not yielded: all chunks, or the response."""
        if self._contract.response_schema is None:
            return result if isinstance(result, list) else [result]
        # ToolResult marks itself, and content is a block of the stream, never its response
        return [result if isinstance(result, ToolResult) or is_content(result) else ToolResult(result)]

    def result(self) -> WrittenResult:
        """Return the response; the list of chunks if the tool has no output schema. Blocks are beside it."""
        if self._check is not None and (missing := self._check.missing()):
            raise broken_content(missing)
        if self._contract.response_schema is None:
            result = write_chunks(self._contract, self._chunks)
        elif self._response is _NONE:
            raise BrokenContract(
                "its stream ended without a response: yield that last, as an instance of its model or as "
                "ToolResult(response)"
            )
        else:
            result = write_result(self._contract, self._response, self._settings)
        result.blocks = tuple(self._blocks)
        return result

    def _chunk(self, item: Any) -> Any:
        chunk = write_chunk(self._contract, item)
        self._count(len(to_json(chunk, inf_nan_mode="constants")))
        return chunk

    def _count(self, size: int) -> None:
        self.count += 1
        self._bytes += size
        name, limits = self._contract.name, self._settings
        if self.count > limits.max_stream_chunks:
            raise TooLargeError(f"The stream of {name} has more than {limits.max_stream_chunks} chunks.")
        if self._bytes > limits.max_stream_bytes:
            raise TooLargeError(f"The stream of {name} has more than {limits.max_stream_bytes} bytes.")


async def collect(stream: CollectedStream, result: Any, listen: Listener | None, place: Place) -> None:
    """Add the items of `result`, which a method in `place` has returned, to `stream`; close an iterator."""
    if isinstance(result, AsyncIterator):
        await place.awaited(_collect_async(stream, result, listen))
    elif isinstance(result, Iterator):
        # an abandoned call must run the `finally` of a generator in its thread
        with closing(_with_returned_value(result)) as items:
            await _add_all(stream, items, listen, place)
    else:
        await _add_all(stream, stream.items_of(result), listen, place)


async def _collect_async(stream: CollectedStream, result: Any, listen: Listener | None) -> None:
    scope = aclosing(result) if hasattr(result, "aclose") else nullcontext(result)
    async with scope as items:
        async for item in items:
            await _add(stream, item, listen, IN_LOOP)


def _with_returned_value(iterator: Any) -> Generator[Any, None, None]:
    """Yield the items of an iterator, and last what a generator returns, marked as the response."""
    returned = yield from iterator
    if returned is not None:
        yield returned if isinstance(returned, ToolResult) else ToolResult(returned)


async def _add_all(
    stream: CollectedStream, items: Iterable[Any], listen: Listener | None, place: Place
) -> None:
    for item in items:
        await _add(stream, item, listen, place)
        # a thread cannot be stopped: it ends at the next chunk
        if place.abandoned:
            return


async def _add(stream: CollectedStream, item: Any, listen: Listener | None, place: Place) -> None:
    """Add the next item, read first if it is content; pass on the items that are known to be chunks."""
    if stream.reader is not None and is_content(item):
        chunks = stream.add_block(await stream.reader.read(item, place))
    else:
        chunks = stream.add(item)
    if listen is not None and not place.abandoned:
        for chunk in chunks:
            await place.awaited(listen(chunk))
    # a stream may never await
    if not place.is_thread and stream.count % _CHUNKS_PER_TURN == 0:
        await asyncio.sleep(0)


async def pump(start: Callable[[Listener], Coroutine[Any, Any, Any]]) -> AsyncGenerator[Any, None]:
    """Yield the chunks of the call that `start` begins as they arrive, then its result.

    Closing the generator cancels the call.
    """
    arrived: asyncio.Queue[Any] = asyncio.Queue()
    # a slow reader slows the tool down, and chunks do not pile up in memory
    room = asyncio.Semaphore(_AHEAD)

    async def listen(chunk: Any) -> None:
        await room.acquire()
        arrived.put_nowait(chunk)

    task = asyncio.create_task(start(listen))
    task.add_done_callback(lambda _: arrived.put_nowait(_NONE))
    try:
        while (chunk := await arrived.get()) is not _NONE:
            room.release()
            yield chunk
        yield await task
    finally:
        # the reader has closed the generator before the end
        if not task.done():
            task.cancel()
            # not `await task`, which would raise the error that nobody asked for
            await asyncio.wait([task])
