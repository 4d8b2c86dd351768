"""Run a tool's `setup` once before its first call, also if many calls arrive at once; and its `close`."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from inspect import isawaitable, iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import ToolConfig
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import ToolTimeoutError
from toolgen.runtime.health import HEALTH
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.tool import BaseTool

from .injection import missing_dependency
from .threads.thread_run import Place, run_in_place

if TYPE_CHECKING:
    from toolgen.runtime.checkpoint import Checkpoint

    from .environment import Environment


class SetupContext:
    """The context of `setup`: the toolkit's configuration and context mapping.

    What `setup` opens, `close` closes.

    Attributes:
        tool_name: the wire name of the tool.
        config: the configuration of the toolkit.
        values: the toolkit's context: names and types with their values and factories.

    Example:
        async def setup(self, context: SetupContext) -> None:
            self.pool = await context.get("pool")()  # a factory, which `execute` would get called
    """

    def __init__(self, contract: ToolContract, environment: Environment) -> None:
        self.tool_name = contract.name
        self.config: ToolConfig = environment.config
        self.values: Mapping[Any, Any] = environment.context
        self._optional = {key for each in contract.inject if each.optional for key in (each.name, each.type)}

    @property
    def logger(self) -> logging.LoggerAdapter[Any]:
        """The configured logger; records carry `tool_name`."""
        return logging.LoggerAdapter(self.config.logger or LOGGER, {"tool_name": self.tool_name})

    @property
    def checkpoint(self) -> Checkpoint:
        """State that outlives the process: `.update(name, change, default)`, `.load(name, default)`."""
        from toolgen.runtime.checkpoint import Checkpoint  # for the few tools that keep state

        return Checkpoint(self.config.checkpoint, self.tool_name)

    def get(self, key: Any) -> Any:
        """Return what the application provides for a name or type: a value, or a factory that is not called.

        None if there is nothing and the spec calls it optional, else raises MissingDependencyError.
        """
        name = key if isinstance(key, str) else f"{key.__module__}.{key.__qualname__}"
        if key not in self.values and name not in self._optional:
            raise missing_dependency(name, self.tool_name)
        return self.values.get(key)


class Readiness:
    """The state of a tool instance: set up or not. Safe to use from several threads and event loops."""

    def __init__(self, tool: BaseTool[Any, Any], contract: ToolContract) -> None:
        self._tool = tool
        self._contract = contract
        self._part = f"tool {contract.name}"
        self._lock = threading.Lock()
        self._running: Future[Exception | None] | None = None  # the running `setup`, and how it ends
        # tools without either method pay nothing: their calls skip all of this
        self._needed = type(tool).setup is not BaseTool.setup or type(tool).close is not BaseTool.close
        self.done = not self._needed  # the tool may be called

    async def prepare(self, environment: Environment) -> None:
        """Set the tool up if it is not. Raises what `setup` raises; the next call tries again.

        Raises ToolTimeoutError after the tool's time limit. A `def setup` then continues in its thread, and
        no other is started before it has ended.
        """
        # a loop, because the call that ran `setup` may have been cancelled
        while not self.done:
            with self._lock:
                if self.done:
                    return
                running, own = self._running, Future[Exception | None]()
                self._running = running or own
            if running is None:
                await self._set_up(own, environment)
            elif (error := await self._wait_for(running)) is not None:
                raise error

    async def _set_up(self, running: Future[Exception | None], environment: Environment) -> None:
        """Run `setup` for all calls that wait. If this one is cancelled, another one tries again."""
        setup = self._tool.setup
        arguments = (SetupContext(self._contract, environment),) if _takes_context(setup) else ()

        async def work(place: Place) -> None:
            await _call(lambda: setup(*arguments), place)
            with self._lock:
                self.done = True
            HEALTH.recover(self._part)

        def on_end(error: Exception | None) -> None:
            with self._lock:
                self._running = None
            if error is not None:
                HEALTH.degrade(self._part, f"its set-up failed: {type(error).__name__}")
            running.set_result(error)

        name, seconds = self._contract.name, self._contract.timeout
        pool = None if iscoroutinefunction(setup) else environment.pool
        await run_in_place(name, work, seconds, pool=pool, on_end=on_end)

    async def _wait_for(self, running: Future[Exception | None]) -> Exception | None:
        waiting = asyncio.wrap_future(running)
        # not `wait_for`, which would cancel the `setup` that other calls wait for
        done, _ = await asyncio.wait((waiting,), timeout=self._contract.timeout)
        if not done:
            raise ToolTimeoutError(
                f"{self._contract.name} was not set up within {self._contract.timeout:g} seconds."
            )
        return waiting.result()

    async def close(self, environment: Environment) -> None:
        """Close the tool if it was set up, within the grace period of the settings.

        Exceptions are logged, so that other tools are closed, too.
        """
        with self._lock:
            was_set_up, self.done = self.done, not self._needed
        if not (self._needed and was_set_up):
            return
        name, close = self._contract.name, self._tool.close
        pool = None if iscoroutinefunction(close) else environment.pool
        try:
            await run_in_place(name, lambda place: _call(close, place), environment.settings.grace, pool=pool)
        except Exception as error:
            LOGGER.error("closing tool %s failed", name, exc_info=without_text(error))


async def _call(method: Callable[[], Any], place: Place) -> None:
    result = method()
    if isawaitable(result):
        await place.awaited(result)


def _takes_context(setup: Callable[..., Any]) -> bool:
    try:
        # `setup(self)` and `setup(self, context)` are both documented
        signature(setup).bind(None)
    except TypeError:
        return False
    return True
