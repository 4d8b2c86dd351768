"""Run a method of an implementation, `execute` or `preview`, with its injected values.

In this order: wait until the tool's limit of concurrency allows the call; for a `def`, wait for a worker
thread; then, within the tool's time limit, create injected values, call the method, validate its result.
The result is validated before injected values are released, so that a transaction can still be rolled back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field
from inspect import isasyncgenfunction, isawaitable, iscoroutinefunction, isgenerator
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import Listener, ToolContext
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.isolation.exceptions import current_task
from toolgen.runtime.isolation.time_limit import run_async

from .content import read_content, read_content_in_thread
from .injection import find_dependencies, opened, opened_in_thread
from .streams import CollectedStream, collect, collect_in_thread, with_returned_value
from .threads.thread_run import ThreadRun
from .threads.worker_pool import Limiter

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

    from .environment import Environment


@dataclass(frozen=True, slots=True)
class PreparedMethod:
    """A method of an implementation, prepared for calls."""

    contract: ToolContract
    method: Callable[..., Any]
    _: KW_ONLY
    write: Callable[[ToolContract, Any, Settings], Any]  # validates the result and returns it as JSON
    limiter: Limiter | None  # of concurrent calls; None: there is no limit
    streams: bool = False
    has_content: bool = False  # blocks are read before `write` validates them
    in_thread: bool = field(init=False)  # a `def`, which runs in a worker thread

    def __post_init__(self) -> None:
        is_async = iscoroutinefunction(self.method) or isasyncgenfunction(self.method)
        object.__setattr__(self, "in_thread", not is_async)


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
    run = MethodRun(prepared, request, context, environment=environment, listen=listen)
    limiter = prepared.limiter
    if limiter is None:
        return await run.in_thread() if prepared.in_thread else await run.in_loop()
    name = prepared.contract.name
    busy = f"As many calls of {name} as may run at once are running"
    began = await limiter.acquire(name, environment.settings.queue, busy=busy)
    if prepared.in_thread:  # released when the thread has ended, which may be after the call
        return await run.in_thread(on_end=lambda _: limiter.release(name, began))
    try:
        return await run.in_loop()
    finally:
        limiter.release(name, began)


@dataclass(frozen=True, slots=True)
class MethodRun:
    """One run of a method."""

    prepared: PreparedMethod
    request: Any
    context: ToolContext
    _: KW_ONLY
    environment: Environment
    listen: Listener | None  # gets the chunks of a stream

    async def in_loop(self) -> Any:
        """Run an async method in the event loop, within its time limit."""
        contract = self.prepared.contract
        return await run_async(self._with_values(), contract.timeout, contract.name, task=current_task())

    async def _with_values(self) -> Any:
        prepared, context = self.prepared, self.context
        if not prepared.contract.inject:
            return await self._write(prepared.method(self.request, context))
        dependencies = find_dependencies(prepared.contract.inject, context, self.environment.context)
        if not any(each.is_factory for each in dependencies):
            values = {each.name: each.checked(each.entry) for each in dependencies}
            return await self._write(prepared.method(self.request, context, **values))
        async with opened(dependencies) as values:
            return await self._write(prepared.method(self.request, context, **values))
        raise self._swallowed()

    async def _write(self, result: Any) -> Any:
        """Return the validated result of a method that runs in the event loop."""
        prepared, settings = self.prepared, self.environment.settings
        if isawaitable(result):
            result = await result
        if prepared.has_content:
            result = await read_content(prepared.contract, result, self.environment)
        if not prepared.streams:
            return prepared.write(prepared.contract, result, settings)
        stream = CollectedStream(prepared.contract, self.environment)
        await collect(stream, result, self.listen)
        return stream.result()

    async def in_thread(self, *, on_end: Callable[[Exception | None], None] | None = None) -> Any:
        """Run a `def` in a worker thread, within its time limit."""
        contract = self.prepared.contract
        run = ThreadRun(contract.name, self._work, on_end=on_end)
        return await run.result(self.environment.pool, contract.timeout)

    def _work(self, run: ThreadRun) -> Any:
        prepared, context = self.prepared, self.context
        dependencies = find_dependencies(prepared.contract.inject, context, self.environment.context)
        with opened_in_thread(dependencies, run) as values:
            return self._write_in_thread(prepared.method(self.request, context, **values), run)
        raise self._swallowed()

    def _write_in_thread(self, result: Any, run: ThreadRun) -> Any:
        """Return the validated result of a method that runs in a worker thread."""
        prepared, settings = self.prepared, self.environment.settings
        if isawaitable(result):
            result = run.await_in_loop(result)
        if prepared.has_content:
            result = read_content_in_thread(prepared.contract, result, self.environment, run)
        if not prepared.streams:
            return prepared.write(prepared.contract, result, settings)
        stream = CollectedStream(prepared.contract, self.environment)
        if isgenerator(result):
            with closing(result):
                collect_in_thread(stream, with_returned_value(result), self.listen, run)
        else:
            run.in_loop(collect(stream, result, self.listen))
        return stream.result()

    def _swallowed(self) -> RuntimeError:
        name = self.prepared.contract.name
        return RuntimeError(f"a context manager injected into {name} swallowed what the tool raised")
