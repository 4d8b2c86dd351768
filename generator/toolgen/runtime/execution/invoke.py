"""Run a method of an implementation: `execute` or `preview`, async or plain, with its injected values.

In this order: a place among the calls that the tool may run at once, a worker thread for a plain method,
then, within the tool's time, its injected values, the method, the check of its result.
The result is checked before injected values are released, so that a transaction can still be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import KW_ONLY, dataclass
from inspect import isawaitable, isgenerator
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import Listener, ToolContext
from toolgen.runtime.contract import MethodKind, ToolContract

from .async_run import run_async
from .injection import look_up, opened, opened_in_thread
from .plain_run import PlainRun
from .streams import GatheredStream, gather, gather_in_thread
from .worker_pool import Limiter

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

    from .call import Environment


@dataclass(frozen=True, slots=True)
class PreparedMethod:
    """A method of an implementation, ready to be called as often as needed."""

    contract: ToolContract
    method: Callable[..., Any]
    kind: MethodKind
    _: KW_ONLY
    write: Callable[[ToolContract, Any, Settings], Any]  # checks the result and returns it as JSON
    limiter: Limiter | None  # of calls at once; None: there is no limit
    streams: bool = False


async def run_method(
    prepared: PreparedMethod,
    request: Any,
    context: ToolContext,
    *,
    environment: Environment,
    listen: Listener | None = None,
) -> Any:
    """Call a method with a request, its context and its injected values. Return its result, checked.

    `listen` is awaited with each chunk of a stream. Raises what the method raises; ToolTimeoutError,
    OverloadedError, MissingDependencyError.
    """
    run = MethodRun(prepared, request, context, environment=environment, listen=listen)
    limiter = prepared.limiter
    if limiter is None:
        return await run.in_thread() if prepared.kind == "plain" else await run.in_loop()
    busy = f"As many calls of {prepared.contract.name} as may run at once are running, and the queue is full"
    began = await limiter.acquire(environment.settings.queue, busy)
    if prepared.kind == "plain":  # its place is free when its thread has ended
        return await run.in_thread(on_end=lambda _: limiter.release(began))
    try:
        return await run.in_loop()
    finally:
        limiter.release(began)


@dataclass(frozen=True, slots=True)
class MethodRun:
    """One run of a method."""

    prepared: PreparedMethod
    request: Any
    context: ToolContext
    _: KW_ONLY
    environment: Environment
    listen: Listener | None  # None: nobody listens to chunks

    async def in_loop(self) -> Any:
        """Run a method that is not plain in the event loop, within its time."""
        contract = self.prepared.contract
        return await run_async(self._with_values(), contract.timeout, contract.name)

    async def _with_values(self) -> Any:
        prepared, context = self.prepared, self.context
        if not prepared.contract.inject:
            return await self._write(prepared.method(self.request, context))
        dependencies = look_up(prepared.contract.inject, context, self.environment.context)
        if not any(each.is_factory for each in dependencies):
            values = {each.name: each.checked(each.entry) for each in dependencies}
            return await self._write(prepared.method(self.request, context, **values))
        async with opened(dependencies) as values:
            return await self._write(prepared.method(self.request, context, **values))
        raise self._swallowed()

    async def _write(self, result: Any) -> Any:
        """Return the checked result of a method that runs in the event loop."""
        prepared, settings = self.prepared, self.environment.settings
        if isawaitable(result):
            result = await result
        if not prepared.streams:
            return prepared.write(prepared.contract, result, settings)
        stream = GatheredStream(prepared.contract, settings)
        await gather(stream, result, self.listen)
        return stream.result()

    async def in_thread(self, *, on_end: Callable[[Exception | None], None] | None = None) -> Any:
        """Run a plain method in a worker thread, within its time."""
        contract = self.prepared.contract
        run = PlainRun(contract.name, self._work, on_end=on_end)
        return await run.result(self.environment.pool, contract.timeout)

    def _work(self, run: PlainRun) -> Any:
        prepared, context = self.prepared, self.context
        dependencies = look_up(prepared.contract.inject, context, self.environment.context)
        with opened_in_thread(dependencies, run) as values:
            return self._write_in_thread(prepared.method(self.request, context, **values), run)
        raise self._swallowed()

    def _write_in_thread(self, result: Any, run: PlainRun) -> Any:
        """Return the checked result of a method that runs in a worker thread."""
        prepared, settings = self.prepared, self.environment.settings
        if isawaitable(result):
            result = run.wait_for(result)
        if not prepared.streams:
            return prepared.write(prepared.contract, result, settings)
        stream = GatheredStream(prepared.contract, settings)
        if isgenerator(result):
            with closing(result):
                gather_in_thread(stream, result, self.listen, run)
        else:
            run.in_loop(gather(stream, result, self.listen))
        return stream.result()

    def _swallowed(self) -> RuntimeError:
        name = self.prepared.contract.name
        return RuntimeError(f"a context manager injected into {name} swallowed what the tool raised")
