"""SIGINT: held back during steps that must be complete, and never lost. SIGTERM and SIGHUP end as it does."""

from __future__ import annotations

import _thread
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, main_thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine
    from sys import UnraisableHookArgs

T = TypeVar("T")
AGAIN_SECONDS: Final = 0.01


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
def remembered_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block when SIGINT arrives, and after it if the exception was lost.

    Other libraries turn a KeyboardInterrupt into their own errors.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # ignored, or handled by an application
        return
    handler = _Remembered()
    signal.signal(signal.SIGINT, handler)
    try:
        with _repeated_if_ignored(handler):
            yield
    except BaseException:
        if handler.calls:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if handler.calls:
        raise KeyboardInterrupt


class _Remembered:
    """A handler that raises KeyboardInterrupt, and counts how often."""

    calls = 0
    is_held_back = False  # where the exception would be lost; the signal is sent again

    def __call__(self, number: int, frame: Any) -> None:
        if self.is_held_back:
            return
        self.calls += 1
        raise KeyboardInterrupt


def run_until_interrupted(runner: asyncio.Runner, work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in an event loop. SIGINT cancels it; KeyboardInterrupt is raised when it has ended.

    In `remembered_interrupts`, the exception would be raised in whatever task runs, such as one that holds a
    connection: the connection would be lost, and the program would open another one.
    """
    remembered = signal.getsignal(signal.SIGINT)
    if not isinstance(remembered, _Remembered):
        return runner.run(work)

    async def cancelled_by_interrupts() -> T:
        import asyncio

        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def handle(number: int, frame: Any) -> None:
            remembered.calls += 1
            if remembered.calls > 1:  # a second ^C does not wait for the end
                raise KeyboardInterrupt
            loop.call_soon_threadsafe(task.cancel)

        signal.signal(signal.SIGINT, handle)
        try:
            return await work
        finally:
            signal.signal(signal.SIGINT, remembered)

    try:
        return runner.run(cancelled_by_interrupts())
    finally:
        if remembered.calls:  # even if `work` has swallowed the cancellation
            raise KeyboardInterrupt


@contextmanager
def _repeated_if_ignored(handler: _Remembered) -> Iterator[None]:
    """Send SIGINT again if Python ignored its KeyboardInterrupt: a prompt would wait for a second ^C.

    Python ignores exceptions of finalizers, fork handlers and callbacks of weak references; each import lock
    has one of these.
    """
    former, left = sys.unraisablehook, Event()

    def interrupt_again(calls: int) -> None:
        # until it is handled: a signal just before the main thread begins to wait does not end that
        while not left.wait(AGAIN_SECONDS) and handler.calls == calls:
            _interrupt_main_thread()

    def hook(ignored: UnraisableHookArgs) -> None:
        if ignored.exc_type is not KeyboardInterrupt:
            former(ignored)
            return
        handler.is_held_back = True
        _thread.start_new_thread(interrupt_again, (handler.calls,))
        handler.is_held_back = False  # the last step: Python looks for signals at calls

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = former
        left.set()


def _interrupt_main_thread() -> None:
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)  # ends a read that waits, too
    else:  # Windows
        _thread.interrupt_main()


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
