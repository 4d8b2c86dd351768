"""Run a method of an implementation, `execute` or `preview`, with its injected values.

In this order: wait until the tool's limit of concurrency allows the call; for a `def`, wait for a worker
thread; then, within the tool's time limit, create injected values, call the method, validate its result.
The result is validated before injected values are released, so that a transaction can still be rolled back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from inspect import isasyncgenfunction, isawaitable, iscoroutinefunction
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import Listener, ToolContext
from toolgen.runtime.contract.result import content_of
from toolgen.runtime.contract.tool_contract import ToolContract

from .block_reader import read_content
from .injection import find_dependencies, open_values
from .streams import CollectedStream, collect
from .threads.thread_run import Place, run_in_place
from .threads.worker_pool import Limiter

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

    from .environment import Environment


@dataclass(frozen=True)
class PreparedMethod:
    """A method of an implementation, prepared for calls."""

    contract: ToolContract
    method: Callable[..., Any]
    _: KW_ONLY
    write: Callable[[ToolContract, Any, Settings], Any]  # validates the result and returns it as JSON
    limiter: Limiter | None  # of concurrent calls; None: there is no limit
    streams: bool = False
    has_content: bool = False  # blocks are read before `write` validates them

    @cached_property
    def in_thread(self) -> bool:
        """True for a `def`, which runs in a worker thread."""
        return not (iscoroutinefunction(self.method) or isasyncgenfunction(self.method))


async def run_method(
    prepared: PreparedMethod,
    request: Any,
    context: ToolContext,
    *,
    environment: Environment,
    listen: Listener | None = None,
) -> Any:
    """Call a method with a request, its context and its injected values. Return its validated result.

    `listen` is awaited with each chunk of a stream. Raises what the method raises, and ToolTimeoutError,
    OverloadedError, MissingDependencyError.
    """
    contract, limiter, settings = prepared.contract, prepared.limiter, environment.settings
    name, on_end = contract.name, None

    async def written(result: Any, place: Place) -> Any:
        """Return the validated result of the method."""
        if isawaitable(result):
            result = await place.awaited(result)
        result = content_of(result, context)
        if prepared.has_content:
            result = await read_content(contract, result, environment, place)
        if not prepared.streams:
            return prepared.write(contract, result, settings)
        stream = CollectedStream(contract, environment)
        await collect(stream, result, listen, place)
        return stream.result()

    async def run(place: Place) -> Any:
        """Create injected values, call the method, validate its result, release the values."""
        async with AsyncExitStack() as stack:
            dependencies = find_dependencies(contract.inject, context, environment.context)
            values = await open_values(dependencies, place, stack)
            # from here on, nobody can say that the call did nothing
            context.has_begun = True
            return await written(prepared.method(request, context, **values), place)
        # reached only if a context manager returns True from its exit: there is no result then
        raise RuntimeError(f"a context manager injected into {name} swallowed what the tool raised")

    if limiter is not None:
        busy = f"As many calls of {name} as may run at once are running"
        await limiter.acquire(name, settings.queue, busy=busy)
        on_end = partial(_release, limiter, name)
    return await run_in_place(
        name,
        run,
        contract.timeout,
        pool=environment.pool if prepared.in_thread else None,
        most=contract.concurrency,
        clock=context.clock,
        on_end=on_end,
    )


def _release(limiter: Limiter, name: str, _: Exception | None) -> None:
    limiter.release(name)
