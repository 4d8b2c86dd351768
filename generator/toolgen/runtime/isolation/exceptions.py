"""Isolation: turn any exception of an implementation into an ordinary one, so that the server survives.

An implementation may raise anything: SystemExit by `sys.exit()`, KeyboardInterrupt, GeneratorExit, the
CancelledError of another task, or a group of these. None of them may leave the task that runs it: asyncio
re-raises SystemExit and KeyboardInterrupt out of the event loop, and servers end on a CancelledError that
they did not request. So they become an ImplementationExitError, unless

- the caller cancelled the call: the task was asked to cancel (`Task.cancelling()`) since it began. Then the
  caller's own CancelledError propagates, as anyio recognises no other; `time_limit.py` raises it, even if
  the implementation raised something else;
- the coroutine is being closed, which throws GeneratorExit in.

A signal that raises an exception while an implementation runs is no exception to this: event loops handle
SIGINT without one (`run_event_loop`, `asyncio.run`).
"""

from __future__ import annotations

import asyncio
from typing import Any


class CoroutineClosed(GeneratorExit):
    """The coroutine of a call is being closed. A GeneratorExit of the tool itself is none of these."""


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
    `error` itself if the caller has cancelled, or if the coroutine is being closed.
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
    """Return `error` as an ordinary exception. Raises `error` if the coroutine is being closed."""
    if isinstance(error, Exception):
        return error
    if isinstance(error, CoroutineClosed):
        raise error
    fault = ImplementationExitError(f"{tool_name} {_describe(error)}")
    fault.__cause__ = error
    return fault


def _describe(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"tried to exit the process ({error})"
    if isinstance(error, asyncio.CancelledError):
        return "was cancelled, but not by its caller"
    return f"raised {type(error).__name__}"
