"""Run a tool's `setup` once before its first call, also if many calls arrive at once; and its `close`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, ExitStack
from inspect import isawaitable, iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import ToolConfig
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import ToolTimeoutError
from toolgen.runtime.health import HEALTH
from toolgen.runtime.isolation import contain_exit, run_async
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.tool import BaseTool

from .injection import Dependency, open_value, open_with
from .threads.task_host import TaskHost
from .threads.thread_run import IN_LOOP, ThreadRun, completed

if TYPE_CHECKING:
    import logging

    from toolgen.runtime.checkpoint import Checkpoint

    from .environment import Environment


class SetupContext:
    """The context of `setup`: the toolkit's configuration and context mapping.

    Values that `get` and `aget` return stay open until the tool is closed.

    Attributes:
        tool_name: the wire name of the tool.
        config: the configuration of the toolkit.
        values: the toolkit's context: names and types with their values and factories.

    Example:
        async def setup(self, context: SetupContext) -> None:
            self.db = await context.aget("db")
    """

    def __init__(self, contract: ToolContract, environment: Environment, host: TaskHost) -> None:
        self.tool_name = contract.name
        self.config: ToolConfig = environment.config
        self.values: Mapping[Any, Any] = environment.context
        self._declared = {each.name: each.type for each in contract.inject}
        self._optional = {key for each in contract.inject if each.optional for key in (each.name, each.type)}
        self._host = host
        self._stack = ExitStack()  # of values that a `def setup` opened
        self._run: ThreadRun | None = None

    @property
    def logger(self) -> logging.LoggerAdapter[Any]:
        """The configured logger; records carry `tool_name`."""
        import logging

        return logging.LoggerAdapter(self.config.logger or LOGGER, {"tool_name": self.tool_name})

    @property
    def checkpoint(self) -> Checkpoint:
        """State that outlives the process: `.update(name, change, default)`, `.load(name, default)`."""
        from toolgen.runtime.checkpoint import Checkpoint

        return Checkpoint(self.config.checkpoint, self.tool_name)

    def get(self, key: Any) -> Any:
        """Return the value that the application provides for a name or type, in a `def setup`.

        It is created as for `execute`, in this thread; None if there is none and the spec calls it optional.
        Raises MissingDependencyError if there is none, TypeError in an `async def setup`: that awaits `aget`.
        """
        if self._run is None:
            raise TypeError("an async def setup gets values by `await context.aget(key)`")
        found = self._find(key)
        return completed(open_value(found, self._run, self._stack, open_async=self._open_async))

    async def aget(self, key: Any) -> Any:
        """Return the value that the application provides for a name or type, in an `async def setup`.

        It is created as for `execute`. None if there is none and the spec calls it optional. Raises
        MissingDependencyError if there is none.
        """
        return await open_value(self._find(key), IN_LOOP, self._stack, open_async=self._open_async)

    async def _open_async(self, value: Any) -> Any:
        """Enter or await `value` in the task that will exit it when the tool is closed."""
        if not isinstance(value, AbstractAsyncContextManager) and not isawaitable(value):
            return value
        opening = open_with(self._host.stack.enter_async_context, value)
        return await asyncio.wrap_future(self._host.run(opening, interruptible=True))

    def _find(self, key: Any) -> Dependency:
        if isinstance(key, str):
            name, declared = key, self._declared.get(key, "typing.Any")
        else:
            name = declared = f"{key.__module__}.{key.__qualname__}"
        optional = name in self._optional
        dependency = Dependency(name, declared, self.values.get(key), self.tool_name, optional=optional)
        if key not in self.values and not optional:
            raise dependency.missing("no entry has this name or type")
        return dependency


class Readiness:
    """The state of a tool instance: set up or not. Safe to use from several threads and event loops."""

    def __init__(self, tool: BaseTool[Any, Any], contract: ToolContract) -> None:
        self._tool = tool
        self._contract = contract
        self._part = f"tool {contract.name}"
        self._lock = threading.Lock()
        self._running: Future[Exception | None] | None = None  # the running `setup`, and how it ends
        self._context: SetupContext | None = None
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
            own = Future[Exception | None]()
            with self._lock:
                running = self._running
                self._running = running or own
            if running is None:
                await self._set_up(own, environment)
            elif (error := await self._wait_for(running)) is not None:
                raise error

    async def _set_up(self, running: Future[Exception | None], environment: Environment) -> None:
        """Run `setup` for all calls that wait. If this one is cancelled, another one tries again."""
        if self.done:  # another call has just finished it
            self._end(running, None)
            return
        setup = self._tool.setup
        host = TaskHost(asyncio.get_running_loop(), self._contract.name, on_end=self._lost)
        context = SetupContext(self._contract, environment, host)
        arguments = (context,) if _takes_context(setup) else ()
        if not iscoroutinefunction(setup):
            await self._set_up_in_thread(
                lambda: setup(*arguments), running, environment=environment, context=context
            )
            return
        error: Exception | None = None
        try:
            await run_async(setup(*arguments), self._contract.timeout, self._contract.name)
            self._finish(context)
        except BaseException as raised:
            _release(context)
            error = raised if isinstance(raised, Exception) else None  # None: cancelled by the caller
            raise
        finally:
            self._end(running, error)

    async def _set_up_in_thread(
        self,
        setup: Callable[[], Any],
        running: Future[Exception | None],
        *,
        environment: Environment,
        context: SetupContext,
    ) -> None:
        def work(run: ThreadRun) -> None:
            context._run = run
            try:
                _call(setup, run)
            except BaseException:
                _release(context)
                raise
            self._finish(context)

        name, seconds = self._contract.name, self._contract.timeout
        run = ThreadRun(name, work, on_end=lambda error: self._end(running, error))
        await run.result(environment.pool, seconds)

    async def _wait_for(self, running: Future[Exception | None]) -> Exception | None:
        waiting = asyncio.wrap_future(running)
        # not `wait_for`, which would cancel the `setup` that other calls wait for
        done, _ = await asyncio.wait((waiting,), timeout=self._contract.timeout)
        if not done:
            raise ToolTimeoutError(
                f"{self._contract.name} was not set up within {self._contract.timeout:g} seconds."
            )
        return waiting.result()

    def _finish(self, context: SetupContext) -> None:
        with self._lock:
            self._context, self.done = context, True
        HEALTH.recover(self._part)

    def _lost(self, host: TaskHost) -> None:
        """Forget the set-up, because the event loop of its values has ended."""
        with self._lock:
            # a later set-up, in another event loop, stays
            if self._context is not None and self._context._host is host:
                self._context, self.done = None, False

    def _end(self, running: Future[Exception | None], error: Exception | None) -> None:
        with self._lock:
            self._running = None
        if error is not None:
            HEALTH.degrade(self._part, f"its set-up failed: {type(error).__name__}")
        running.set_result(error)

    async def close(self, environment: Environment) -> None:
        """Close the tool if it was set up, within the grace period of the settings.

        Exceptions are logged, so that other tools are closed, too.
        """
        if not self._needed:
            return
        with self._lock:
            was_set_up, self.done = self.done, False
            context, self._context = self._context, None
        if not was_set_up:
            return
        name, close, seconds = self._contract.name, self._tool.close, environment.settings.grace
        try:
            if iscoroutinefunction(close):
                await run_async(close(), seconds, name)
            else:
                await ThreadRun(name, lambda run: _call(close, run)).result(environment.pool, seconds)
            if context is not None:
                await ThreadRun(name, lambda _: context._stack.close()).result(environment.pool, seconds)
        except Exception as error:
            LOGGER.error("closing tool %s failed", name, exc_info=without_text(error))
        finally:
            # also after a failed `close`: connections of `setup` must not outlive the toolkit
            if context is not None:
                context._host.end()
                await context._host.wait_until_ended(seconds)


def _call(method: Callable[[], Any], run: ThreadRun) -> None:
    result = method()
    if isawaitable(result):
        completed(run.awaited(result))


def _release(context: SetupContext) -> None:
    """Release the values that a failed `setup` has opened."""
    try:
        context._stack.close()
    except BaseException as raised:
        error = contain_exit(raised, context.tool_name)
        LOGGER.error(
            "releasing the values that tool %s opened failed", context.tool_name, exc_info=without_text(error)
        )
    context._host.end(interrupt=True)


def _takes_context(setup: Callable[..., Any]) -> bool:
    try:
        # `setup(self)` and `setup(self, context)` are both documented
        signature(setup).bind(None)
    except TypeError:
        return False
    return True
