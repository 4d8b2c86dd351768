"""Encode the data of blocks for messages, without delaying the event loop."""

from __future__ import annotations

from base64 import b64encode
from binascii import b2a_base64
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from .block import Block

_PIECE: Final = 3 * 256 * 1024  # bytes that are encoded before other threads run; a multiple of 3
_MUCH: Final = 256 * 1024  # bytes of blocks that are not encoded in the event loop

Message = TypeVar("Message")


def base64_text(data: bytes) -> str:
    """Return `data` in base64. Other threads can run meanwhile, also if there is much of it."""
    if len(data) <= _PIECE:
        return b64encode(data).decode("ascii")
    view = memoryview(data)
    pieces = (view[start : start + _PIECE] for start in range(0, len(data), _PIECE))
    return "".join(b2a_base64(piece, newline=False).decode("ascii") for piece in pieces)


def data_url(block: Block) -> str:
    """Return the data of a block as a URL."""
    return f"data:{block.media_type};base64,{base64_text(block.data)}"


async def written(blocks: Sequence[Block], write: Callable[[], Message]) -> Message:
    """Return what `write` makes of some blocks: in a worker thread, if that takes long."""
    if sum(len(block.data) for block in blocks) <= _MUCH:
        return write()
    import asyncio

    return await asyncio.to_thread(write)
