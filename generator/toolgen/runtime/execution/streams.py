"""A result that arrives in chunks: each checked as it comes, handed to who listens, gathered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from toolgen.runtime.context import Listener
from toolgen.runtime.contract import ToolContract

from .result import BrokenContract, is_response, to_chunk, write, written

_NOTHING = object()
_AHEAD = 64  # chunks that a tool may be ahead of who listens


class Gathering:
    """The chunks of one call so far. Where the tool has an output schema, the last item is the response."""

    def __init__(self, contract: ToolContract) -> None:
        self._plan = contract
        self._held: Any = _NOTHING  # the newest item, where it may turn out to be the response
        self._chunks: list[Any] = []

    def add(self, item: Any) -> list[Any]:
        """Take the next item; the chunks that are known by it. Raises BrokenContract if one does not fit."""
        if self._plan.response_schema is None:
            self._chunks.append(to_chunk(self._plan, item))
            return self._chunks[-1:]
        known = [] if self._held is _NOTHING else [to_chunk(self._plan, self._held)]
        if is_response(self._plan, item):
            self._held = item
        else:  # it cannot be the response, so nobody has to wait for what follows
            self._held = _NOTHING
            known.append(to_chunk(self._plan, item))
        return known

    def takes_list(self, result: Any) -> bool:
        """Whether `result` is all chunks at once."""
        return self._plan.response_schema is None and isinstance(result, list)

    def content(self) -> tuple[Any, str]:
        """The whole result and its JSON: the response, or the list of chunks without an output schema."""
        if self._plan.response_schema is None:
            return write(self._plan, self._chunks)
        if self._held is _NOTHING:
            raise BrokenContract("its stream ended without a response")
        return written(self._plan, self._held)


class Delivery:
    """Chunks on their way to who listens, from the event loop or from a worker thread, in order."""

    def __init__(self, listen: Listener | None) -> None:
        self._listen = listen
        self._loop = asyncio.get_running_loop()
        self._giving: asyncio.Task[Any] | None = None
        self.stopped = False  # nobody waits any more: a worker thread leaves its stream at the next chunk

    async def give(self, chunks: list[Any]) -> None:
        """Hand over chunks, one after the other."""
        if self._listen is not None:
            for chunk in chunks:
                await self._listen(chunk)

    def give_from_thread(self, chunks: list[Any]) -> None:
        """The same in a worker thread, which waits. Raises an error of its own if it is stopped meanwhile."""
        if self._listen is not None and chunks:
            asyncio.run_coroutine_threadsafe(self._give_unless_stopped(chunks), self._loop).result()

    async def _give_unless_stopped(self, chunks: list[Any]) -> None:
        if self.stopped:
            return
        self._giving = asyncio.current_task()
        await self.give(chunks)
        self._giving = None

    def stop(self) -> None:
        """Let a worker thread go that waits here."""
        self.stopped = True
        if self._giving is not None:
            self._giving.cancel()


async def pump(start: Callable[[Listener], Coroutine[Any, Any, Any]]) -> AsyncGenerator[Any, None]:
    """The chunks of a call that `start` begins, as they come, then what it gives. Closing this cancels it."""
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
