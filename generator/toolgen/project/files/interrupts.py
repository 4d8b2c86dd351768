"""SIGINT: held back during steps that must be complete. SIGTERM and SIGHUP end a command as it does."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold SIGINT back until the block ends, also for processes forked in it, where the platform can."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore SIGINT in a process forked by `uninterrupted` code, including one that is pending."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def terminations_as_interrupts() -> Iterator[None]:
    """End a command on SIGTERM and SIGHUP as on SIGINT, so that processes and files are not left behind."""

    def handle(number: int, frame: Any) -> None:
        if callable(signal.getsignal(signal.SIGINT)):
            signal.raise_signal(signal.SIGINT)  # asyncio may handle it
        else:  # ignored: a shell started the command in the background
            raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    changed = [each for each in numbers if signal.getsignal(each) is signal.SIG_DFL]  # nohup ignores SIGHUP
    for each in changed:
        signal.signal(each, handle)
    try:
        yield
    finally:
        for each in changed:
            signal.signal(each, signal.SIG_DFL)
