"""Write a server's log and printed text in a thread, from a bounded queue, so that no call waits for it."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final, TextIO

MAX_PENDING: Final = 4 * 1024 * 1024
"""Characters that wait to be written; texts beyond are dropped and counted."""
PAUSE_SECONDS: Final = 0.02
"""Time between two writes: texts that come in it are written together, which saves most wake-ups."""
RETRY_SECONDS: Final = 1.0
"""Time until the next try after an error, such as a full disk."""
FLUSH_SECONDS: Final = 1.0
ATOMIC_BYTES: Final = 4096
"""PIPE_BUF of Linux: processes that share a pipe do not interleave shorter writes."""


class BackgroundWriter:
    """Writes texts to a descriptor in a daemon thread, for which neither `write` nor the process's end waits.

    If writing stops, MAX_PENDING characters are held; later texts are dropped. When writing works again, the
    text `dropped_text(count)` is written in their place.
    """

    def __init__(self, descriptor: int) -> None:
        self.dropped_text: Callable[[int], str] = "{} lines were dropped: nobody read this output\n".format
        self.dropped = 0  # texts, since the process has started
        self._descriptor = descriptor
        self._reset()
        # a forked child has the texts, and no thread that writes them
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """Begin without texts and without a thread, as a forked child does: its parent writes the others."""
        self._changed = threading.Condition()  # with an RLock: a signal handler may log within `write`
        self._texts: list[str] = []
        self._pending = 0  # characters of the texts that are not written
        self._dropped = 0
        self._waits = False  # the thread waits for texts
        self._hurries = False  # the thread writes without a pause
        self._hangs = False  # `flush` has waited in vain, and nothing was written since
        self._thread: threading.Thread | None = None

    def write(self, text: str, *, at_once: bool = False) -> None:
        """Have a text written: soon, or without a pause if `at_once`. It is dropped if too much waits."""
        with self._changed:
            if self._pending and self._pending + len(text) > MAX_PENDING:  # alone, a text may have any length
                self._dropped += 1
                self.dropped += 1
                return
            self._note_dropped()
            self._texts.append(text)
            self._pending += len(text)
            if self._thread is None:
                self._start()
            elif self._waits or at_once:
                self._hurries = self._hurries or at_once
                self._changed.notify_all()

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything is written, for at most `seconds`. Return True if it is."""
        until = monotonic() + seconds
        with self._changed:
            self._hurries = True
            self._changed.notify_all()
            while self._pending:
                left = until - monotonic()
                self._hangs = self._hangs or left <= 0
                if self._hangs or self._thread is None:  # later calls do not wait again for the same reader
                    return False
                self._changed.wait(left)
        return True

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="log writer", daemon=True)
        with suppress(RuntimeError):  # no more threads now: the next text tries again
            thread.start()
            self._thread = thread

    def _note_dropped(self) -> None:
        if self._dropped:
            text, self._dropped = self.dropped_text(self._dropped), 0
            self._texts.append(text)
            self._pending += len(text)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._note_dropped()
                while not self._texts:
                    self._hurries = False
                    self._waits = True
                    self._changed.wait()
                    self._waits = False
                texts, self._texts = self._texts, []
            size = sum(map(len, texts))
            for part in _parts(texts):
                self._write_part(part)
            with self._changed:
                self._pending -= size
                self._changed.notify_all()  # for `flush`
                if not self._hurries:
                    self._changed.wait(PAUSE_SECONDS)  # `write(at_once=True)` and `flush` end the pause

    def _write_part(self, part: bytes) -> None:
        """Write whole lines. Try again until it works, or until a pipe or the descriptor is closed."""
        rest = memoryview(part)
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
                self._hangs = False
            except BlockingIOError:  # the parent has made the pipe non-blocking
                select.select([], [self._descriptor], [], RETRY_SECONDS)
            except BrokenPipeError:
                return
            except OSError as error:  # such as a full disk
                if error.errno == errno.EBADF:
                    return  # a closed descriptor may become that of another file
                with self._changed:
                    self._changed.wait(RETRY_SECONDS)


def _parts(texts: list[str]) -> Iterator[bytes]:
    """Yield the texts, as many together as are written atomically."""
    part = b""
    for text in texts:
        data = text.encode("utf-8", "backslashreplace")
        if part and len(part) + len(data) > ATOMIC_BYTES:
            yield part
            part = b""
        part += data
    if part:
        yield part


_WRITERS: Final[dict[int, BackgroundWriter]] = {}


def writer_of(descriptor: int) -> BackgroundWriter:
    """Return this process's writer to a descriptor."""
    if descriptor not in _WRITERS:
        _WRITERS[descriptor] = BackgroundWriter(descriptor)
    return _WRITERS[descriptor]


def dropped_records() -> int:
    """Return how many texts this process has dropped, because nobody read its output."""
    return sum(each.dropped for each in _WRITERS.values())


class _Stream(io.TextIOBase):
    """A standard stream whose lines a BackgroundWriter writes; otherwise like `original`."""

    def __init__(self, original: TextIO) -> None:
        self.original = original
        self.writer = writer_of(original.fileno())
        self._lock = threading.RLock()
        self._line = ""  # that has no end yet

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def fileno(self) -> int:
        """Return the descriptor, for child processes."""
        return self.original.fileno()

    def isatty(self) -> bool:
        """True if the output is a terminal."""
        return self.original.isatty()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Have the whole lines of a text written."""
        with self._lock:
            lines, newline, self._line = (self._line + text).rpartition("\n")
            if newline:
                self.writer.write(lines + newline)
        return len(text)

    def flush(self) -> None:
        """Have the rest written, too; does not wait."""
        with self._lock:
            line, self._line = self._line, ""
        if line:
            self.writer.write(line, at_once=True)


@contextmanager
def background_output(*, stdout_to_stderr: bool) -> Iterator[None]:
    """Have background threads write the output that is printed in this block.

    It has been written when the block ends, unless writing has stopped.
    """
    before = sys.stdout, sys.stderr
    _open_closed_streams()
    streams = [each if _descriptor_of(each) is None else _Stream(each) for each in (sys.stdout, sys.stderr)]
    sys.stdout, sys.stderr = streams[1 if stdout_to_stderr else 0], streams[1]
    try:
        yield
    finally:
        for stream in streams:
            stream.flush()
        if all(each.writer.flush() for each in streams if isinstance(each, _Stream)):
            sys.stdout, sys.stderr = before  # else, a traceback would wait at the end of the process


def _open_closed_streams() -> None:
    """Open /dev/null as the standard streams that are closed: other files would get their descriptors."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != descriptor:
                os.dup2(nothing, descriptor)
                os.close(nothing)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w", encoding="utf-8"))


def _descriptor_of(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None
