"""Streams: validate each chunk of a result, pass it to the listener, collect the chunks, within limits.

With an output schema, the last item is the response. It is known as such if it is an instance of the
response model, a ToolResult, or the value that a plain generator returns; otherwise by its schema alone. If
that leaves open whether the last item is a chunk, the stream is refused: a tool that yields only chunks would
otherwise answer its last chunk, and its callers would lose the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Iterator
from contextlib import aclosing, closing
from inspect import isasyncgen, isgenerator
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.values import ToolResult, is_content
from toolgen.runtime.context import Listener
from toolgen.runtime.contract.content import BlockCheck
from toolgen.runtime.contract.result import (
    BrokenContract,
    WrittenResult,
    broken_content,
    is_chunk,
    is_response,
    write_chunk,
    write_chunks,
    write_result,
)
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import TooLargeError

from .content import BlockReader

if TYPE_CHECKING:
    from .environment import Environment
    from .threads.thread_run import ThreadRun

_NONE = object()
_AHEAD: Final = 64  # chunks that a tool may be ahead of its listener
_CHUNKS_PER_TURN: Final = 64  # before other tasks of the event loop run
_SECONDS_PER_TURN: Final = 0.01  # likewise


_AMBIGUOUS: Final = (
    "the last item of its stream can be a chunk as well as the response: yield the response as an instance "
    "of its model or as ToolResult(response), or change a schema so that no value satisfies both"
)


class CollectedStream:
    """The chunks of one call so far. If the tool has an output schema, the last item is the response."""

    def __init__(self, contract: ToolContract, environment: Environment) -> None:
        settings = environment.settings
        self.reader: BlockReader | None = None  # None: the tool declares no content
        self._check: BlockCheck | None = None
        if contract.content is not None:
            self.reader = BlockReader(contract, environment, settings.max_stream_bytes, subject="stream")
            self._check = BlockCheck(contract.content)
        self._contract = contract
        self._settings = settings
        self._blocks: list[Block] = []
        self._held: Any = _NONE  # the newest item, if it may be the response
        self._is_marked = False  # the held item is the response, if nothing follows
        self._models_are_chunks = False  # a chunk was an instance of the response model
        self._chunks: list[Any] = []
        self._count = 0
        self._bytes = 0

    def add(self, item: Any) -> list[Any]:
        """Add the next item; return the items that are now known to be chunks.

        Raises BrokenContract if a chunk does not satisfy the schema, TooLargeError beyond a limit.
        """
        if self._contract.response_schema is None:
            chunk = self._chunk(item)
            self._chunks.append(chunk)
            return [chunk]
        known = self._release()
        if isinstance(item, ToolResult):
            if item.content:
                raise BrokenContract("its stream has a ToolResult with content: yield each block by itself")
            self._held, self._is_marked = item.response, True
        elif is_response(self._contract, item):
            self._held, self._is_marked = item, self._is_of_response_model(item)
        else:  # it can only be a chunk
            known.append(self._chunk(item))
        return known

    def _release(self) -> list[Any]:
        """Return the held item, which is a chunk because another item follows."""
        if self._held is _NONE:
            return []
        item, self._held = self._held, _NONE
        self._models_are_chunks |= self._is_of_response_model(item)
        return [self._chunk(item)]

    def _is_of_response_model(self, item: Any) -> bool:
        model = self._contract.response_model
        return model is not None and isinstance(item, model)

    def add_block(self, block: Block) -> list[Any]:
        """Add the next item, a block; return the items that are now known to be chunks, the block last.

        Raises BrokenContract if it is not declared, TooLargeError beyond a limit.
        """
        known = self._release()
        if self._check is not None and (fault := self._check.add(block)) is not None:
            raise broken_content([fault])
        self._blocks.append(block)
        self._count_chunk(len(block.data))
        return [*known, block]

    def is_list_of_chunks(self, result: Any) -> bool:
        """True if `result` is a list of all chunks."""
        return self._contract.response_schema is None and isinstance(result, list)

    def as_response(self, result: Any) -> Any:
        """Return what `execute` has returned and not yielded, marked as the response if there is one."""
        if self._contract.response_schema is None or isinstance(result, ToolResult) or is_content(result):
            return result
        return ToolResult(result)

    def result(self) -> WrittenResult:
        """Return the response; the list of chunks if the tool has no output schema. Blocks are beside it."""
        if self._check is not None and (missing := self._check.missing()):
            raise broken_content(missing)
        if self._contract.response_schema is None:
            result = write_chunks(self._contract, self._chunks)
        elif self._held is _NONE:
            raise BrokenContract("its stream ended without a response")
        elif self._is_ambiguous():
            raise BrokenContract(_AMBIGUOUS)
        else:
            result = write_result(self._contract, self._held, self._settings)
        result.blocks = tuple(self._blocks)
        return result

    def _is_ambiguous(self) -> bool:
        """True if the last item may be a chunk of a tool that has yielded no response."""
        if self._is_marked and not (self._models_are_chunks and self._is_of_response_model(self._held)):
            return False
        return is_chunk(self._contract, self._held)

    def _chunk(self, item: Any) -> Any:
        chunk = write_chunk(self._contract, item)
        self._count_chunk(len(to_json(chunk, inf_nan_mode="constants")))
        return chunk

    def _count_chunk(self, size: int) -> None:
        self._count += 1
        self._bytes += size
        name, limits = self._contract.name, self._settings
        if self._count > limits.max_stream_chunks:
            raise TooLargeError(f"The stream of {name} has more than {limits.max_stream_chunks} chunks.")
        if self._bytes > limits.max_stream_bytes:
            raise TooLargeError(f"The stream of {name} has more than {limits.max_stream_bytes} bytes.")


async def collect(stream: CollectedStream, result: Any, listen: Listener | None) -> None:
    """Add the items of `result`, returned by a method in the event loop, to `stream`; close a generator."""
    turn = _Turn()
    if isasyncgen(result):
        async with aclosing(result) as items:
            async for item in items:
                await _pass_on(await _added(stream, item), listen)
                await turn.end_if_long()
    elif isgenerator(result):
        with closing(result):
            for item in with_returned_value(result):
                await _pass_on(await _added(stream, item), listen)
                await turn.end_if_long()
    else:  # all chunks as a list, or only the response
        for item in result if stream.is_list_of_chunks(result) else [stream.as_response(result)]:
            await _pass_on(await _added(stream, item), listen)
            await turn.end_if_long()


def with_returned_value(generator: Generator[Any, Any, Any]) -> Iterator[Any]:
    """Yield the items of a plain generator, and last what it returns, marked as the response."""
    returned = yield from generator
    if returned is not None:
        yield returned if isinstance(returned, ToolResult) else ToolResult(returned)


def collect_in_thread(
    stream: CollectedStream, items: Iterable[Any], listen: Listener | None, run: ThreadRun
) -> None:
    """Add the items of a generator to `stream`, in the thread of `run`, until the call is abandoned."""
    for item in items:
        if stream.reader is not None and is_content(item):
            chunks = stream.add_block(stream.reader.read_in_thread(item, run))
        else:
            chunks = stream.add(item)
        if run.abandoned:
            return
        if chunks and listen is not None:
            run.in_loop(_pass_on(chunks, listen))


async def _added(stream: CollectedStream, item: Any) -> list[Any]:
    """Add the next item, read first if it is content; return the items that are known to be chunks."""
    if stream.reader is not None and is_content(item):
        return stream.add_block(await stream.reader.read(item))
    return stream.add(item)


async def _pass_on(chunks: list[Any], listen: Listener | None) -> None:
    if listen is not None:
        for chunk in chunks:
            await listen(chunk)


class _Turn:
    """Lets other tasks of the event loop run now and then, during a stream that never awaits."""

    __slots__ = ("_chunks", "_ends")

    def __init__(self) -> None:
        self._chunks, self._ends = 0, monotonic() + _SECONDS_PER_TURN

    async def end_if_long(self) -> None:
        self._chunks += 1
        if self._chunks >= _CHUNKS_PER_TURN or monotonic() > self._ends:
            await asyncio.sleep(0)
            self._chunks, self._ends = 0, monotonic() + _SECONDS_PER_TURN


async def pump(start: Callable[[Listener], Coroutine[Any, Any, Any]]) -> AsyncGenerator[Any, None]:
    """Yield the chunks of the call that `start` begins as they arrive, then its result.

    Closing the generator cancels the call.
    """
    arrived: asyncio.Queue[Any] = asyncio.Queue()
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
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
