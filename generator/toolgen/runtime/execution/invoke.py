"""Run an implementation: async or plain, its values injected, its stream gathered, within its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import AsyncExitStack, aclosing, closing
from dataclasses import dataclass
from functools import partial
from inspect import isasyncgen, isawaitable, isgenerator
from time import monotonic
from typing import Any

from toolgen.runtime.context import Listener, ToolContext
from toolgen.runtime.contract import Kind, ToolContract
from toolgen.runtime.errors import ToolTimeoutError

from .injection import Supply, look_up, needs_loop, open_value, supplied
from .streams import Delivery, Gathering


@dataclass(frozen=True, slots=True)
class PreparedMethod:
    """A method of an implementation, ready to be called as often as needed."""

    contract: ToolContract
    method: Callable[..., Any]
    kind: Kind
    finish: Callable[[ToolContract, Any], Any]  # what came back, checked
    streams: bool = False
    listen: Listener | None = None  # is given the chunks of this one call


@dataclass(frozen=True, slots=True)
class _Failed:
    """An exception of a worker thread, carried by hand: a future cannot carry StopIteration."""

    error: Exception


@dataclass(frozen=True, slots=True)
class _NeedsLoop:
    """Values made in a worker thread, some of which only the event loop can enter or await."""

    values: dict[str, Any]


async def within(seconds: float | None, name: str, work: Coroutine[Any, Any, Any]) -> Any:
    """The result of `work`, or ToolTimeoutError after `seconds`. A TimeoutError of the work's own passes."""
    if seconds is None:
        return await work
    began = monotonic()
    try:
        waiting = work.send(None)  # up to its first wait: many tools never do, and need no timer
    except StopIteration as done:
        return done.value
    limit = asyncio.timeout(began + seconds - monotonic())
    try:
        async with limit:
            return await _Begun(work, waiting)
    except TimeoutError:
        if not limit.expired():
            raise
    raise ToolTimeoutError(f"{name} did not finish within {seconds:g} seconds.")


@dataclass(frozen=True, slots=True)
class _Begun:
    """A coroutine that was begun by hand and now waits: awaiting this goes on with it."""

    work: Coroutine[Any, Any, Any]
    waiting: Any  # what it yielded to the event loop

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting = self.waiting
        while True:
            try:
                answer = yield waiting
            except GeneratorExit:
                self.work.close()
                raise
            except BaseException as error:  # cancellation, above all: it belongs to the work
                resume = partial(self.work.throw, error)
            else:
                resume = partial(self.work.send, answer)
            try:
                waiting = resume()
            except StopIteration as done:
                return done.value


async def perform(work: PreparedMethod, request: Any, call: ToolContext, context: Mapping[str, Any]) -> Any:
    """The method called with the request, its context and its injected values; what it gave, finished.

    It is finished before injected values are closed, so that a transaction can still be undone.
    """
    contract = work.contract
    given = look_up(contract.inject, contract.name, context) if contract.inject else {}
    if isinstance(given, Supply):
        async with supplied(given, work.kind != "plain") as supply:
            return await _run(work, request, call, supply)
        raise RuntimeError(f"a context manager injected into {contract.name} swallowed what the tool raised")
    if work.kind == "coroutine" and not work.streams:
        return work.finish(contract, await work.method(request, call, **given))
    return await _run(work, request, call, Supply(given))


async def _run(work: PreparedMethod, request: Any, call: ToolContext, supply: Supply) -> Any:
    delivery = Delivery(work.listen)
    if work.kind != "plain":
        return await _finish(work, work.method(request, call, **supply.values), delivery)
    try:
        async with AsyncExitStack() as stack:
            outcome = await asyncio.to_thread(_in_thread, work, (request, call), supply, delivery)
            if isinstance(outcome, _NeedsLoop):
                values = {name: await open_value(value, stack) for name, value in outcome.values.items()}
                outcome = await asyncio.to_thread(_in_thread, work, (request, call), Supply(values), delivery)
            if isinstance(outcome, _Failed):
                raise outcome.error
            return await _finish(work, outcome, delivery)
        raise RuntimeError(
            f"a context manager injected into {work.contract.name} swallowed what the tool raised"
        )
    finally:
        delivery.stop()


def _in_thread(
    work: PreparedMethod, arguments: tuple[Any, ToolContext], supply: Supply, delivery: Delivery
) -> Any:
    """Make the remaining values and call the method, in one and the same thread."""
    values = dict(supply.values)
    try:
        for name, factory in supply.later.items():
            values[name] = factory()
        if any(needs_loop(values[name]) for name in supply.later):
            return _NeedsLoop(values)
        result = work.method(*arguments, **values)
        if not (work.streams and isgenerator(result)):
            return result
        gathering = Gathering(work.contract)
        with closing(result):
            for item in result:
                if delivery.stopped:
                    break
                delivery.give_from_thread(gathering.add(item))
        return gathering
    except Exception as error:  # the caller of the thread raises it
        return _Failed(error)
    except SystemExit as error:  # a library that exits must not take the server along
        wrong = RuntimeError(f"{work.contract.name} tried to exit the process ({error})")
        wrong.__cause__ = error
        return _Failed(wrong)


async def _finish(work: PreparedMethod, result: Any, delivery: Delivery) -> Any:
    if isawaitable(result):
        result = await result
    if not work.streams:
        return work.finish(work.contract, result)
    if isinstance(result, Gathering):
        return result.content()
    gathering = Gathering(work.contract)
    if isasyncgen(result):
        async with aclosing(result) as items:
            async for item in items:
                await delivery.give(gathering.add(item))
    elif isgenerator(result):
        with closing(result):
            for item in result:
                await delivery.give(gathering.add(item))
    else:  # whole after all: the chunks at once, or only the response
        for item in result if gathering.takes_list(result) else [result]:
            await delivery.give(gathering.add(item))
    return gathering.content()
