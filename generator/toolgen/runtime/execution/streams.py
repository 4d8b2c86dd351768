"""Streams: results in chunks, each checked, passed to the listener and gathered, within limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import aclosing, closing
from inspect import isasyncgen, isgenerator
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from toolgen.runtime.context import Listener
from toolgen.runtime.contract import ToolContract
from toolgen.runtime.errors import TooLargeError
from toolgen.runtime.settings import Settings

from .result import BrokenContract, WrittenResult, is_response, write_chunk, write_chunks, write_result

if TYPE_CHECKING:
    from .plain_run import PlainRun

_NOTHING = object()
_AHEAD: Final = 64  # chunks that a tool may be ahead of who listens
_CHUNKS_PER_TURN: Final = 64  # and
_SECONDS_PER_TURN: Final = 0.01  # that a stream may take before other tasks get their turn


class GatheredStream:
    """The chunks of one call so far. Where the tool has an output schema, the last item is the response."""

    def __init__(self, contract: ToolContract, settings: Settings) -> None:
        self._contract = contract
        self._settings = settings
        self._held: Any = _NOTHING  # the newest item, where it may turn out to be the response
        self._chunks: list[Any] = []
        self._count = 0
        self._bytes = 0

    def add(self, item: Any) -> list[Any]:
        """Add the next item; return the chunks that it completes.

        Raises BrokenContract for a chunk that does not satisfy the schema, TooLargeError for one too many.
        """
        if self._contract.response_schema is None:
            chunk = self._chunk(item)
            self._chunks.append(chunk)
            return [chunk]
        known = [] if self._held is _NOTHING else [self._chunk(self._held)]
        if is_response(self._contract, item):
            self._held = item
        else:  # it cannot be the response, so nobody has to wait for the next item
            self._held = _NOTHING
            known.append(self._chunk(item))
        return known

    def is_list_of_chunks(self, result: Any) -> bool:
        """True if `result` is all chunks at once."""
        return self._contract.response_schema is None and isinstance(result, list)

    def result(self) -> WrittenResult:
        """Return the response; the list of chunks if the tool has no output schema."""
        if self._contract.response_schema is None:
            return write_chunks(self._contract, self._chunks)
        if self._held is _NOTHING:
            raise BrokenContract("its stream ended without a response")
        return write_result(self._contract, self._held, self._settings)

    def _chunk(self, item: Any) -> Any:
        chunk = write_chunk(self._contract, item)
        self._count += 1
        self._bytes += len(to_json(chunk, inf_nan_mode="constants"))
        name, limits = self._contract.name, self._settings
        if self._count > limits.max_stream_chunks:
            raise TooLargeError(f"The stream of {name} has more than {limits.max_stream_chunks} chunks.")
        if self._bytes > limits.max_stream_bytes:
            raise TooLargeError(f"The stream of {name} has more than {limits.max_stream_bytes} bytes.")
        return chunk


async def gather(stream: GatheredStream, result: Any, listen: Listener | None) -> None:
    """Add what a method in the event loop returned to `stream`, item by item, and close its generator."""
    turn = _Turn()
    if isasyncgen(result):
        async with aclosing(result) as items:
            async for item in items:
                await _hand_on(stream.add(item), listen)
                await turn.end_if_long()
    elif isgenerator(result):
        with closing(result):
            for item in result:
                await _hand_on(stream.add(item), listen)
                await turn.end_if_long()
    else:  # no generator: all chunks at once, or only the response
        for item in result if stream.is_list_of_chunks(result) else [result]:
            await _hand_on(stream.add(item), listen)
            await turn.end_if_long()


def gather_in_thread(
    stream: GatheredStream, items: Iterable[Any], listen: Listener | None, run: PlainRun
) -> None:
    """Add the items of a plain generator to `stream`, in the thread of `run`, until the call is left."""
    for item in items:
        chunks = stream.add(item)
        if run.left:
            return
        if chunks and listen is not None:
            run.in_loop(_hand_on(chunks, listen))


async def _hand_on(chunks: list[Any], listen: Listener | None) -> None:
    if listen is not None:
        for chunk in chunks:
            await listen(chunk)


class _Turn:
    """The turn of a stream in the event loop: ended now and then, for one that never awaits."""

    __slots__ = ("_chunks", "_ends")

    def __init__(self) -> None:
        self._chunks, self._ends = 0, monotonic() + _SECONDS_PER_TURN

    async def end_if_long(self) -> None:
        self._chunks += 1
        if self._chunks >= _CHUNKS_PER_TURN or monotonic() > self._ends:
            await asyncio.sleep(0)
            self._chunks, self._ends = 0, monotonic() + _SECONDS_PER_TURN


async def pump(start: Callable[[Listener], Coroutine[Any, Any, Any]]) -> AsyncGenerator[Any, None]:
    """Yield the chunks of the call that `start` begins as they come, then its result.

    Closing this cancels the call.
    """
    arrived: asyncio.Queue[Any] = asyncio.Queue()
    room = asyncio.Semaphore(_AHEAD)

    async def listen(chunk: Any) -> None:
        await room.acquire()
        arrived.put_nowait(chunk)

    task = asyncio.create_task(start(listen))
    task.add_done_callback(lambda _: arrived.put_nowait(_NOTHING))
    try:
        while (chunk := await arrived.get()) is not _NOTHING:
            room.release()
            yield chunk
        yield await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
