"""Isolation: turn any exception of an implementation into an ordinary one, so that the server survives.

An implementation may raise anything: SystemExit by `sys.exit()`, KeyboardInterrupt, GeneratorExit, the
CancelledError of another task, or a group of these. None of them may leave the task that runs it: asyncio
re-raises SystemExit and KeyboardInterrupt out of the event loop, and servers end on a CancelledError that
they did not request. So they become an ImplementationExitError, unless

- the caller cancelled the call: the task was asked to cancel (`Task.cancelling()`) since it began. Then the
  caller's own CancelledError propagates, as anyio recognises no other; `time_limit.py` raises it, even if
  the implementation raised something else;
- a signal raised them: SIGINT's default handler, or a handler that the application installed;
- the coroutine is being closed, which throws GeneratorExit in.
"""

from __future__ import annotations

import asyncio
import dis
import signal
import threading
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any, Final

# asyncio.Runner handles SIGINT since 3.11: https://docs.python.org/3/library/asyncio-runner.html
# private: in a version of Python without it, a second ^C counts as an exit of the tool
_ON_SIGINT: Final = getattr(getattr(asyncio.Runner, "_on_sigint", None), "__code__", None)
_RAISE: Final = dis.opmap["RAISE_VARARGS"]  # the instruction of a `raise` statement


class ApplicationExit(BaseException):
    """SystemExit or KeyboardInterrupt of an application's callback, which propagates through a call."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class ImplementationExitError(RuntimeError):
    """An implementation tried to exit, or was cancelled by another task than its caller."""


def contain(
    error: BaseException, tool_name: str, task: asyncio.Task[Any] | None, *, cancelled_before: int
) -> Exception:
    """Return `error`, raised by an implementation, as an ordinary exception.

    `task` is the task that ran it, `cancelled_before` the requests to cancel it when the work began. Raises
    `error` itself if the caller has cancelled, if a signal raised it, or if the coroutine is being closed.
    """
    if (
        isinstance(error, asyncio.CancelledError)
        and task is not None
        and task.cancelling() > cancelled_before
    ):
        raise error
    return contain_exit(error, tool_name)


def cancel_requests(task: asyncio.Task[Any] | None) -> int:
    """Return how many requests to cancel `task` it has received, without one that is still to come.

    `Task.cancelling()` also counts a request that the task made itself, which reaches it when it next awaits.
    """
    count = 0 if task is None else task.cancelling()
    return count - 1 if count and getattr(task, "_must_cancel", False) else count


def contain_exit(error: BaseException, tool_name: str) -> Exception:
    """Return `error` as an ordinary exception.

    Raises `error` if a signal or the end of a coroutine caused it.
    """
    if isinstance(error, Exception):
        return error
    if is_external(error):
        raise error
    fault = ImplementationExitError(f"{tool_name} {_describe(error)}")
    fault.__cause__ = error
    return fault


def is_external(error: BaseException) -> bool:
    """True if a signal handler or the interpreter raised `error`, or an exception in this group."""
    return any(_is_external(each) for each in _leaves(error))


def _describe(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"tried to exit the process ({error})"
    if isinstance(error, asyncio.CancelledError):
        return "was cancelled, but not by its caller"
    return f"raised {type(error).__name__}"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    # a TaskGroup wraps the exit of a child: the group itself is never external
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _is_external(error: BaseException) -> bool:
    """True if a signal handler or the interpreter raised `error`."""
    if isinstance(error, KeyboardInterrupt | SystemExit):
        if threading.current_thread() is not threading.main_thread():
            return False  # Python runs signal handlers in the main thread only
        if isinstance(error, KeyboardInterrupt) and error.__traceback__ and not _is_raised_by_code(error):
            return True  # SIGINT's default handler, written in C, interrupted whatever ran
        # a frame of a handler in the traceback: the signal arrived while the tool ran
        handlers = _signal_handlers()
        return any(frame in handlers for frame in _codes(error.__traceback__))
    # closing a coroutine throws GeneratorExit in; a tool that raises one itself has failed
    return isinstance(error, GeneratorExit) and not _is_raised_by_code(error)


def _is_raised_by_code(error: BaseException) -> bool:
    """True if a `raise` statement raised `error`; False if the interpreter did."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code.co_code
    return 0 <= trace.tb_lasti < len(code) and code[trace.tb_lasti] == _RAISE


def _codes(trace: TracebackType | None) -> Iterator[CodeType]:
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def _signal_handlers() -> set[CodeType]:
    """Return the code of every signal handler that is installed now, and of asyncio's for SIGINT."""
    found: set[CodeType] = set() if _ON_SIGINT is None else {_ON_SIGINT}
    for number in signal.valid_signals():
        handler: Any = signal.getsignal(number)
        # the same handler may be wrapped, and a bound method has its code in `__func__`
        handler = getattr(handler, "func", handler)  # functools.partial, as asyncio.Runner installs
        code = getattr(getattr(handler, "__func__", handler), "__code__", None)
        if isinstance(code, CodeType):
            found.add(code)
    return found
