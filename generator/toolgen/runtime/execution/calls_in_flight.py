"""Calls in flight in a file of this process, so that the next process can say what the last one did.

A server or a worker opens the trace; calls of a `Toolkit` elsewhere have none. What is written survives the
process, not the machine. The file has a slot for each call at once, with neither arguments nor principals.
Its lock, which the system releases when the process ends, tells whether the process lives.
"""

from __future__ import annotations

import itertools
import os
from contextlib import suppress
from secrets import token_hex
from time import time
from typing import Final, NamedTuple

from toolgen.base import MIB
from toolgen.base.files import make_named, open_named
from toolgen.runtime.logs.logger import LOGGER

SLOT: Final = 128  # bytes: a time, the id of the call, and the name of its tool, which has at most 64
_SUFFIX: Final = ".calls"


class TracedCall(NamedTuple):
    """A call that was in flight."""

    since: float  # seconds of the epoch
    call_id: str
    tool_name: str


class CallTrace:
    """The trace of this process. Safe to use from several threads."""

    def __init__(self) -> None:
        self.descriptor: int | None = None  # None: calls are not traced
        self._path = ""
        self._free: list[int] = []
        self._slots = itertools.count(1)  # the first one has the label

    def open(self, folder: str, label: str) -> dict[str, list[TracedCall]]:
        """Trace calls in a new file of a folder, which is created if necessary.

        Return what processes that have ended left there, by their label, and remove it. Raises OSError; on
        Windows, ImportError.
        """
        from fcntl import LOCK_EX, lockf  # not on Windows

        if self.descriptor is not None:
            return {}
        make_named(folder)
        ended = _take_ended(folder)
        self._path = os.path.join(folder, f"{os.getpid()}-{token_hex(4)}{_SUFFIX}")
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        lockf(descriptor, LOCK_EX)
        # others pass an empty file by: it may not be locked yet
        os.pwrite(descriptor, f"{label}\n".encode()[:SLOT], 0)
        self.descriptor = descriptor
        return ended

    def begin(self, tool_name: str, call_id: str) -> int:
        """Note that a call begins; return its slot."""
        try:
            slot = self._free.pop()
        except IndexError:
            slot = next(self._slots)
        self._write(slot, f"{time():.3f} {call_id} {tool_name}\n".encode()[:SLOT])
        return slot

    def end(self, slot: int) -> None:
        """Note that the call in a slot has ended."""
        self._write(slot, b"\0")
        self._free.append(slot)

    def close(self) -> None:
        """Remove the file, because the process ends in an orderly way."""
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.unlink(self._path)
            os.close(descriptor)

    def _write(self, slot: int, data: bytes) -> None:
        if (descriptor := self.descriptor) is None:  # closed meanwhile
            return
        try:
            os.pwrite(descriptor, data, slot * SLOT)
        except OSError as error:  # a full disk: what is not true any more must not be read
            self.close()
            LOGGER.warning("calls in flight are not traced any more: %s", error)


TRACE: Final = CallTrace()


def _take_ended(folder: str) -> dict[str, list[TracedCall]]:
    from fcntl import LOCK_NB, LOCK_SH, lockf  # not on Windows

    ended: dict[str, list[TracedCall]] = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        # its process lives and has the lock, another process has removed it, or it is no trace
        with suppress(OSError, TypeError, ValueError), open_named(path) as file:
            lockf(file, LOCK_SH | LOCK_NB)
            if name.endswith(_SUFFIX) and (data := file.read(MIB)):
                os.unlink(path)
                slots = [data[at : at + SLOT].partition(b"\n")[0] for at in range(0, len(data), SLOT)]
                found = [each.decode().split(" ") for each in slots[1:] if not each.startswith(b"\0")]
                ended[slots[0].decode()] = [TracedCall(float(since), *names) for since, *names in found]
    return ended
