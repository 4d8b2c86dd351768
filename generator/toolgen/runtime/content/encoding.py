"""Encode the data of blocks for messages, without delaying the event loop."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from toolgen.runtime.own_threads import OwnThreads

from .block import Block

_PIECE: Final = 3 * 256 * 1024  # bytes that are encoded before others run; a multiple of 3
_MUCH: Final = 256 * 1024  # bytes of blocks that are not encoded in the event loop

_THREADS: Final = OwnThreads("encoding", 2)

Message = TypeVar("Message")


def base64_pieces(data: bytes) -> Iterator[str]:
    """Yield `data` in base64, in pieces that are quickly made: between two of them, others can run."""
    view = memoryview(data)
    for start in range(0, len(data), _PIECE):
        yield b2a_base64(view[start : start + _PIECE], newline=False).decode("ascii")


def base64_text(data: bytes) -> str:
    """Return `data` in base64. Other threads can run meanwhile."""
    return "".join(base64_pieces(data))


def data_url(block: Block) -> str:
    """Return the data of a block as a URL."""
    return f"data:{block.media_type};base64,{base64_text(block.data)}"


async def written(blocks: Sequence[Block], write: Callable[[], Message]) -> Message:
    """Return what `write` makes of some blocks: in a worker thread, if that takes long."""
    if sum(len(block.data) for block in blocks) <= _MUCH:
        return write()
    return await _THREADS.run(write)
