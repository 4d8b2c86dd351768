"""^C at the right moments: not in the middle of a step that must be whole, and never lost."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold SIGINT back until the block has ended, where the platform can; processes forked in it, too."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore SIGINT in a process forked by `uninterrupted` code, one that came already included."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def remembered_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end of the block if ^C came in it, whatever became of the exception.

    A KeyboardInterrupt is lost in finalizers and fork handlers, and other libraries turn it into errors of
    their own.
    """
    came: list[int] = []

    def handle(number: int, frame: Any) -> None:
        came.append(number)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # ignored, or handled by an application
        return
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except BaseException:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt
