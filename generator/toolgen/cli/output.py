"""Print: data on stdout, messages on stderr. Texts are escaped where they are written, in `escaping/`."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from toolgen.base.escaping import streams
from toolgen.base.suggestions import count
from toolgen.project import UnableError, reason

if TYPE_CHECKING:
    import argparse

    from toolgen.language.diagnostic import Progress

_is_quiet = False
_progress: Progress | None = None  # of the line that is shown
_end_of_progress: Callable[[], None] | None = None  # called before other output


def emit(*lines: str, styled: bool = False) -> None:
    """Print data, each text as one line; a line end in it is escaped.

    With `styled`, the colours are kept that a module of `report/` has put in. If the reader of a pipe goes
    away, the command continues and keeps its exit code.
    """
    with closed_pipe_ignored():
        streams.write_lines(sys.stdout, *lines, styled=styled)


def emit_json(data: Any) -> None:
    """Print one JSON document."""
    with closed_pipe_ignored():
        streams.write_json(sys.stdout, data)


def emit_document(text: str) -> None:
    """Print a document whose format has escaped the texts in it."""
    with closed_pipe_ignored():
        streams.write_document(sys.stdout, text)


def emit_content(text: str) -> None:
    """Print the content of a file as it is; at a terminal, escaped."""
    with closed_pipe_ignored():
        streams.write_content(sys.stdout, text)


def set_quiet(quiet: bool) -> None:
    """Leave out messages from now on, or no longer."""
    global _is_quiet
    _is_quiet = quiet


def say(*lines: str, styled: bool = False, always: bool = False) -> None:
    """Print a message for the user, not for programs: each text as one line, as `emit` does.

    After `--quiet`, only with `always`: warnings and errors.
    """
    if _is_quiet and not always:
        return
    _end_progress()
    with suppress(OSError):  # stderr is closed
        streams.write_lines(sys.stderr, *lines, styled=styled)


def say_text(text: str) -> None:
    """Print a text that may have several lines, the second and further ones indented."""
    _end_progress()
    with suppress(OSError):
        streams.write_text(sys.stderr, text)


def show_status(text: str = "") -> None:
    """Replace the last line of the terminal, while work goes on; without `text`, clear it."""
    if _is_quiet:
        return
    with suppress(OSError):
        streams.write_status(sys.stderr, text)


@contextmanager
def progress_line(work: str, *, ticks: bool = True) -> Iterator[Progress]:
    """Show on a terminal how far the work is, and for how long it takes, until there is other output.

    Yields a function to call with a part of the work, how much of it is done, and of how much. Nothing is
    shown in the first second; elsewhere than on a terminal, nothing at all. Without `ticks`, no thread shows
    the time: a process of several threads cannot fork workers.
    """
    global _progress, _end_of_progress
    if _progress is not None or _is_quiet or not sys.stderr.isatty():
        yield _progress or (lambda work, done, total: None)
        return
    started, now, ended = time.monotonic(), work, threading.Event()

    def report(work: str, done: int, total: int) -> None:
        nonlocal now
        now = f"{work}: {done} of {total}"
        if not ticks:
            show()

    def show() -> None:
        if (seconds := time.monotonic() - started) >= 1 and not ended.is_set():
            show_status(f"{now}, {seconds:.0f} s")

    def tick() -> None:
        while not ended.wait(1):
            show()

    def end() -> None:
        if not ended.is_set():
            ended.set()
            if ticks:
                thread.join()
            show_status()

    thread = threading.Thread(target=tick, daemon=True)
    if ticks:
        thread.start()
    _progress, _end_of_progress = report, end
    try:
        yield report
    finally:
        end()
        _progress = _end_of_progress = None


def _end_progress() -> None:
    if _end_of_progress is not None:
        _end_of_progress()


def command_line(args: argparse.Namespace, *words: str) -> str:
    """Return a command for the same project, as the user can type it."""
    where = [] if args.start == "." else ["-C", args.start]
    return shlex.join(["toolgen", *where, *words])


def can_ask() -> bool:
    """True if a user at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def ask_in_event_loop(question: str) -> str:
    """Ask the user at the terminal for one line, on stderr; the event loop continues while it waits."""
    import asyncio  # commands that run no event loop do not wait for it

    loop, is_typed = asyncio.get_running_loop(), asyncio.Event()
    with suppress(OSError):
        streams.write_prompt(sys.stderr, question)
    try:
        loop.add_reader(sys.stdin, is_typed.set)
    except NotImplementedError:  # on Windows, where ^C ends the read of another thread, too
        return await asyncio.to_thread(_read_answer)
    try:
        await is_typed.wait()  # a terminal passes on whole lines
    finally:
        loop.remove_reader(sys.stdin)
    try:
        return _read_answer()
    except KeyboardInterrupt:  # ^D: an exception would be taken for one of the tool that asks
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()  # until the task is cancelled
        raise


def _read_answer() -> str:
    line = sys.stdin.readline()
    if not line:  # ^D
        raise KeyboardInterrupt
    return line.strip()


@contextmanager
def closed_pipe_ignored() -> Iterator[None]:
    """Ignore a closed pipe; raise `UnableError` if data is lost for another reason."""
    _end_progress()
    try:
        yield
    except OSError as error:
        # `toolgen … | head` is no error: whoever reads has seen enough
        _discard_buffer()
        if not isinstance(error, BrokenPipeError):
            raise UnableError("cannot-write", f"cannot write to stdout: {reason(error)}") from error


def flush() -> None:
    """Flush stdout at the end; errors no longer matter, as data was flushed when it was printed."""
    try:
        if not sys.stdout.closed:  # as by the language server
            sys.stdout.flush()
    except OSError:
        _discard_buffer()


def _discard_buffer() -> None:
    with open(os.devnull, "w") as nowhere:  # or the interpreter would fail to flush at exit
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def count_of_warnings(number: int) -> list[str]:
    """Return the line about warnings of commands that only count them; none without any."""
    return (
        [f"{count(number, 'warning')}: toolgen lint shows {'it' if number == 1 else 'them'}"]
        if number
        else []
    )
