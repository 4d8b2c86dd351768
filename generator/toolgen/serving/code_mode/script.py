"""Run one script in Monty, pydantic's sandbox: a process without files, network and time of its own.

The sandbox stops at each call of a function and at each name that it does not know. Nothing but this module
answers it, so that a script can do no more than ask for a call, whatever it names, catches or repeats.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

import pydantic_monty as monty

from toolgen.base import MIB
from toolgen.runtime.errors import ToolError
from toolgen.runtime.execution.threads.worker_pool import Limiter

SECONDS: Final = 10.0  # that a script may compute
MEMORY: Final = 64 * MIB  # bytes that it may use
CALLS: Final = 100  # of functions
SUSPENSIONS: Final = 1_000  # calls and look-ups of names that the sandbox does not know
PRINTED: Final = 20_000  # characters of what it prints; the rest is cut
HELD_BYTES: Final = 4 * MIB  # of a script that waits for the user
DEPTH: Final = 60  # levels of a value
CHARACTERS: Final = HELD_BYTES  # of a value as JSON: as many as a request to a server has by default
VALUES: Final = 100_000  # in a value: what `run_code` returns has no more bytes
PROCESSES: Final = 8  # that run scripts at once
SHARE: Final = 4
"""Processes for the scripts of one caller, as a tool has half of the threads."""
WAITING: Final = 64  # scripts that wait for a process
_INTEGER_BITS: Final = 1024  # of an integer that a script gets or returns
_MESSAGE: Final = 4_000  # characters of an error, and of what was printed before it
_START_SECONDS: Final = 30.0  # of a process

Call = Callable[[str, tuple[Any, ...], dict[str, Any]], Awaitable[Any]]
"""Calls a function with arguments of a script. Raises ToolError, which the script may catch, or ScriptEnd."""


class ScriptFailedError(ToolError):
    """A script raised an exception, or is not valid."""

    code = "script_failed"
    description = "The script failed."


class ScriptStoppedError(ToolError):
    """A script was ended from outside."""

    code = "script_stopped"
    description = "The script was stopped."


class TooLargeError(ValueError):
    """A value of a script is too large to leave the sandbox."""

    def __init__(self) -> None:
        super().__init__(f"larger than {CHARACTERS:,} characters, or {VALUES:,} values")


@dataclass(slots=True)
class Room:
    """What of a value may still become JSON.

    The sandbox counts a part once, however often a value has it: `[text] * 2_500` takes no memory there.
    """

    characters: int = CHARACTERS
    values: int = VALUES

    def take(self, characters: int) -> None:
        """Count one value. Raises TooLargeError."""
        self.characters -= characters
        self.values -= 1
        if self.characters < 0 or self.values < 0:
            raise TooLargeError


class ScriptEnd(Exception):  # noqa: N818  not an error of this program
    """Raised by a call to end the script, which cannot catch it."""


@dataclass(slots=True)
class _Progress:
    """Progress of a script, and the caller that it runs for."""

    owner: str | None
    calls: int = 0
    printed: list[str] = field(default_factory=list)
    length: int = 0

    def print(self, _: str, text: str) -> None:
        """Keep what is printed, up to the limit."""
        kept = text[: max(PRINTED - self.length, 0)]
        self.length += len(text)
        if kept:
            self.printed.append(kept)

    @property
    def output(self) -> str:
        """Return what was printed."""
        cut = f"\n[cut: the first {PRINTED} of {self.length} characters]" if self.length > PRINTED else ""
        return "".join(self.printed) + cut


class Sandbox:
    """Processes that run scripts, at most `PROCESSES` at a time."""

    def __init__(self) -> None:
        self._places = Limiter(PROCESSES, shown="run_code")
        self._pool = monty.AsyncMonty(
            max_processes=PROCESSES, checkout_timeout=_START_SECONDS, request_timeout=SECONDS + 5
        )

    async def start(self) -> None:
        """Start the first process."""
        await self._pool.__aenter__()

    async def stop(self) -> None:
        """End the processes."""
        await self._pool.__aexit__(None, None, None)

    async def run(
        self,
        code: str,
        functions: Collection[str],
        call: Call,
        *,
        waits: Collection[str] = (),
        owner: str | None = None,
    ) -> dict[str, Any]:
        """Return the value of a script's last expression, and what it printed.

        Args:
            code: the script.
            functions: the names that it can call.
            call: calls one of them.
            waits: functions whose calls may wait for the user; the script gives its process back meanwhile.
            owner: who has a share of the processes. The default is None: an only caller.

        Raises ScriptFailedError, ScriptStoppedError and OverloadedError.
        """
        progress = _Progress(owner)
        try:
            output = await self._run(code, functions, call, frozenset(waits), progress)
            return {"result": json_of(output, Room()), "printed": progress.output}
        except TooLargeError as error:
            text = f"The result is {error}. Return less of it."
            raise ScriptFailedError(_with_progress(text, progress)) from None
        except ScriptEnd as end:
            raise ScriptStoppedError(_with_progress(str(end), progress)) from None
        except monty.MontyCrashedError:
            raise ScriptStoppedError(_with_progress("The sandbox ended the script.", progress)) from None
        except monty.MontySyntaxError as error:
            raise ScriptFailedError(error.display("type-msg")) from None
        except monty.MontyRuntimeError as error:
            raise ScriptFailedError(_with_progress(error.display("traceback"), progress)) from None

    async def _run(
        self, code: str, functions: Collection[str], call: Call, waits: Collection[str], progress: _Progress
    ) -> Any:
        waiting: bytes | None = None  # the script, while it waits for the user
        answer: Any = None
        while True:
            async with self._checked_out(progress.owner) as session:
                if waiting is None:
                    snapshot: Any = await session.feed_start(code, print_callback=progress.print)
                else:
                    held = await session.load_snapshot(waiting, print_callback=progress.print)
                    snapshot = await _resumed(held, answer)
                while not isinstance(snapshot, monty.MontyComplete):
                    if not _is_call(snapshot, functions):
                        snapshot = await _answered(snapshot, functions)
                        continue
                    progress.calls += 1
                    if progress.calls > CALLS:
                        raise ScriptEnd(f"It made more than {CALLS} calls.")
                    if snapshot.function_name in waits:
                        break
                    snapshot = await _resumed(snapshot, await _result(call, snapshot))
                else:
                    return snapshot.output
                waiting = snapshot.dump()
            if len(waiting) > HELD_BYTES:
                raise ScriptEnd("It holds too much data to wait for the user.")
            answer = await _result(call, snapshot)

    @asynccontextmanager
    async def _checked_out(self, owner: str | None) -> AsyncIterator[monty.AsyncMontySession]:
        limits: monty.ResourceLimits = {
            "max_feed_duration_secs": SECONDS,
            "max_memory": MEMORY,
            "max_suspensions": SUSPENSIONS,
        }
        name, most = owner or "", PROCESSES if owner is None else SHARE
        await self._places.acquire(name, WAITING, busy="Too many scripts run at the same time", most=most)
        try:
            async with self._pool.checkout(script_name="script.py", limits=limits) as session:
                yield session
        finally:
            self._places.release(name)


def _is_call(
    snapshot: monty.AsyncSnapshot, functions: Collection[str]
) -> TypeGuard[monty.AsyncFunctionSnapshot]:
    """True if a script calls one of the functions."""
    return (
        isinstance(snapshot, monty.AsyncFunctionSnapshot)
        and not snapshot.is_os_function
        and snapshot.object_id is None
        and snapshot.function_name in functions
    )


async def _answered(snapshot: Any, functions: Collection[str]) -> Any:
    """Answer what is not a call of a function: a name, or something that the sandbox does not have."""
    if isinstance(snapshot, monty.AsyncNameLookupSnapshot):
        name = snapshot.variable_name
        return await (snapshot.resume(value=_named(name)) if name in functions else snapshot.resume())
    if isinstance(snapshot, monty.AsyncFunctionSnapshot):
        if snapshot.is_os_function:
            return await snapshot.resume_not_handled()
        return await snapshot.resume(
            {"exception": NameError(f"name {snapshot.function_name!r} is not defined")}
        )
    raise ScriptEnd("It waits for something that never comes.")


def _named(name: str) -> Callable[..., None]:
    """Return what stands for a function in the sandbox. It is never called there."""

    def function(*_: Any, **__: Any) -> None:
        raise NotImplementedError

    function.__name__ = function.__qualname__ = name
    return function


async def _result(call: Call, snapshot: monty.AsyncFunctionSnapshot) -> monty.ExternalSettledResult:
    """Return what a call comes to, for the sandbox: it has Python's own exceptions only."""
    room = Room()
    try:
        arguments = tuple(json_of(each, room, strict=True) for each in snapshot.args)
        options = {name: json_of(each, room, strict=True) for name, each in snapshot.kwargs.items()}
        return {"return_value": await call(str(snapshot.function_name), arguments, options)}
    except ToolError as error:
        hint = f" {error.hint}" if error.hint else ""
        return {"exception": RuntimeError(f"{error.code}: {error.message}{hint}")}
    except TooLargeError as error:
        return {"exception": ValueError(f"The arguments are {error}.")}
    except TypeError as error:
        return {"exception": TypeError(str(error))}


async def _resumed(snapshot: Any, answer: monty.ExternalSettledResult) -> Any:
    """Give the script the answer to its call; `await function()` is the same as `function()`."""
    if not snapshot.allow_eager_await:
        return await snapshot.resume(answer)
    call_id = snapshot.call_id
    waiting = await snapshot.resume({"future": ...})
    return await waiting.resume({call_id: answer})


def json_of(value: Any, room: Room, *, strict: bool = False, depth: int = 0) -> Any:
    """Return a value of a script as JSON. Raises TooLargeError if there is no room for it.

    An instance becomes its attributes, and what else JSON does not have becomes text. With `strict`, raises
    TypeError instead.
    """
    room.take(len(value) if isinstance(value, str | bytes) else 1)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and value.bit_length() <= _INTEGER_BITS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, monty.MontyClassProxy) and not strict:
        value = value.attributes
    if depth < DEPTH:
        if isinstance(value, list | tuple):
            return [json_of(each, room, strict=strict, depth=depth + 1) for each in value]
        if isinstance(value, dict) and (not strict or all(isinstance(key, str) for key in value)):
            return {
                str(json_of(key, room, depth=depth + 1)): json_of(each, room, strict=strict, depth=depth + 1)
                for key, each in value.items()
            }
        if isinstance(value, set | frozenset) and not strict:
            return [json_of(each, room, depth=depth + 1) for each in value]
    if strict:
        raise TypeError(f"{type(value).__name__} is not JSON")
    if isinstance(value, int):
        return f"an integer of {value.bit_length()} bits"
    if depth >= DEPTH:
        return "…"
    # the text of a class has all that its attributes hold
    text = value.name if isinstance(value, monty.MontyClassTypeProxy) else str(value)
    room.take(len(text))
    return text


def _with_progress(text: str, progress: _Progress) -> str:
    """Return the text of an error with what the script has done before."""
    parts = [text[:_MESSAGE]]
    if progress.calls:
        parts.append(f"Calls made before: {progress.calls}. What they did is not undone.")
    if progress.output:
        parts.append(f"It had printed:\n{progress.output[:_MESSAGE]}")
    return "\n".join(parts)
