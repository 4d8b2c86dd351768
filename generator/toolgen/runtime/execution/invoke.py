"""Run a method of an implementation: `execute` or `preview`, async or plain, with what it needs.

In this order: a place among the calls that the tool may run at once, a worker thread for a plain method,
then, within the tool's time, its injected values, the method, the check of its result.
The result is checked before injected values are released, so that a transaction can still be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
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
    finish: Callable[[ToolContract, Any, Settings], Any]  # returns the result, checked
    places: Limiter | None  # calls at once; None: as many as come
    streams: bool = False


async def run_method(
    method: PreparedMethod,
    request: Any,
    call: ToolContext,
    environment: Environment,
    listen: Listener | None = None,
) -> Any:
    """Call a method with a request, its context and its injected values. Return its result, finished.

    `listen` is awaited with each chunk of a stream. Raises what the method raises; ToolTimeoutError,
    OverloadedError, MissingDependencyError.
    """
    if method.places is None:
        return await _run(method, request, call, environment, listen)
    busy = f"As many calls of {method.contract.name} as may run at once are running, and the queue is full"
    began = await method.places.acquire(environment.settings.queue, busy)
    if method.kind == "plain":  # its place is free when its thread has ended
        places = method.places
        return await _run(method, request, call, environment, listen, lambda _: places.release(began))
    try:
        return await _run(method, request, call, environment, listen)
    finally:
        method.places.release(began)


async def _run(
    method: PreparedMethod,
    request: Any,
    call: ToolContext,
    environment: Environment,
    listen: Listener | None,
    on_end: Callable[[Exception | None], None] | None = None,
) -> Any:
    contract, settings = method.contract, environment.settings
    if method.kind == "plain":
        work = _plain_work(method, request, call, environment, listen)
        run = PlainRun(contract.name, work, on_end=on_end)
        return await run.result(environment.pool, contract.timeout)
    if contract.inject:
        steps = _with_values(method, request, call, environment, listen)
    else:
        steps = _in_loop(method, method.method(request, call), settings, listen)
    return await run_async(steps, contract.timeout, contract.name)


async def _with_values(
    method: PreparedMethod,
    request: Any,
    call: ToolContext,
    environment: Environment,
    listen: Listener | None,
) -> Any:
    dependencies = look_up(method.contract.inject, call, environment.context)
    if not any(each.is_factory for each in dependencies):
        values = {each.name: each.checked(each.entry) for each in dependencies}
        return await _in_loop(method, method.method(request, call, **values), environment.settings, listen)
    async with opened(dependencies) as values:
        return await _in_loop(method, method.method(request, call, **values), environment.settings, listen)
    raise _swallowed(method)


async def _in_loop(method: PreparedMethod, result: Any, settings: Settings, listen: Listener | None) -> Any:
    """Return the finished result of a method that runs in the event loop."""
    if isawaitable(result):
        result = await result
    if not method.streams:
        return method.finish(method.contract, result, settings)
    stream = GatheredStream(method.contract, settings)
    await gather(stream, result, listen)
    return stream.content()


def _plain_work(
    method: PreparedMethod,
    request: Any,
    call: ToolContext,
    environment: Environment,
    listen: Listener | None,
) -> Callable[[PlainRun], Any]:
    """Return what a worker thread does for one call of a plain method."""

    def work(run: PlainRun) -> Any:
        dependencies = look_up(method.contract.inject, call, environment.context)
        with opened_in_thread(dependencies, run) as values:
            result = method.method(request, call, **values)
            return _in_thread(method, result, environment.settings, listen, run)
        raise _swallowed(method)

    return work


def _in_thread(
    method: PreparedMethod, result: Any, settings: Settings, listen: Listener | None, run: PlainRun
) -> Any:
    """Return the finished result of a method that runs in a worker thread."""
    if isawaitable(result):
        result = run.wait_for(result)
    if not method.streams:
        return method.finish(method.contract, result, settings)
    stream = GatheredStream(method.contract, settings)
    if isgenerator(result):
        with closing(result):
            gather_in_thread(stream, result, listen, run)
    else:
        run.in_loop(gather(stream, result, listen))
    return stream.content()


def _swallowed(method: PreparedMethod) -> RuntimeError:
    return RuntimeError(
        f"a context manager injected into {method.contract.name} swallowed what the tool raised"
    )
