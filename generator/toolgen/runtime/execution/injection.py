"""Injected values: provided by the application, created for each call, released after it.

The keys of the context mapping are names or types: `{"db": connect}` or `{sqlite3.Connection: connect}`.
A name takes precedence over a type; a type must be exactly the one that the spec names.

An entry of the mapping is a value, or a factory: a function, method, class or functools.partial
(other callable objects are values: a sqlite3.Connection is callable). A factory is called once per call,
without arguments. What it returns is

1. entered, and left after the call, if it is an async context manager;
2. awaited, if it is awaitable;
3. entered, and left after the call, if it is a context manager, unless it is an instance of the declared type
   already: a sqlite3.Connection is a context manager, and is the value.

The resulting value must be an instance of the type that the spec declares, and not None. Types that cannot be
imported or cannot be checked (`typing.Any`, protocols) accept everything. A value that is `optional` in the
spec may be None, and is None if the mapping has no entry for it.

Threads: values for an `async def` are created in the event loop's thread. For a `def`, factories that are not
async run in the worker thread of the call, so that what they create (a SQLite connection, for example) is
used and closed in the thread that created it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from importlib import import_module
from inspect import isasyncgenfunction, isawaitable, isclass, iscoroutinefunction, isroutine, unwrap
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import ToolContext
from toolgen.runtime.contract.tool_contract import Injection
from toolgen.runtime.errors import MissingDependencyError
from toolgen.runtime.logs.logger import LOGGER

if TYPE_CHECKING:
    from .threads.thread_run import ThreadRun


@dataclass(frozen=True, slots=True)
class Dependency:
    """An entry of the application's context that a tool injects."""

    name: str
    declared: str  # dotted name of a type; empty if the spec names none
    entry: Any
    tool_name: str
    call: ToolContext | None = None
    optional: bool = False  # may be None

    @property
    def is_factory(self) -> bool:
        """True if the entry is called to create the value."""
        return is_factory(self.entry)

    def is_value(self, value: Any) -> bool:
        """True if `value` is an instance of the declared type, and that type can be checked."""
        declared = declared_type(self.declared)
        return declared is not None and isinstance(value, declared)

    def checked(self, value: Any) -> Any:
        """Return `value`. Raises MissingDependencyError if it is None or not of the declared type."""
        if value is None and self.optional:
            return None
        if value is None and self.declared not in ("typing.Any", "builtins.object"):
            raise self.missing("it is None")
        declared = declared_type(self.declared)
        if declared is not None and not isinstance(value, declared):
            raise self.missing(f"it must be {self.declared}, and is {_type_name(value)}")
        return value

    def missing(self, reason: str) -> MissingDependencyError:
        """Return the error for the caller, and log the reason for the operator."""
        logger = LOGGER if self.call is None else self.call.logger
        logger.warning("tool %s has no usable %r: %s", self.tool_name, self.name, reason)
        return missing_dependency(self.name, self.tool_name)


def missing_dependency(name: str, tool_name: str) -> MissingDependencyError:
    """Return the error of a value that the application has not provided."""
    return MissingDependencyError(
        f"The application has not provided {name!r}, which {tool_name} needs.", details={"name": name}
    )


def find_dependencies(
    injections: Iterable[Injection], call: ToolContext, context: Mapping[Any, Any]
) -> list[Dependency]:
    """Return the entries of `context` for what a tool injects. Raises MissingDependencyError."""
    return [_find(each, call, context) for each in injections]


def _find(wanted: Injection, call: ToolContext, context: Mapping[Any, Any]) -> Dependency:
    if wanted.name in context:
        entry = context[wanted.name]
    else:
        declared = _loaded_type(wanted.type)
        if declared is not None and declared in context:
            entry = context[declared]
        elif wanted.optional:
            entry = None
        else:
            raise missing_dependency(wanted.name, call.tool_name)
    return Dependency(wanted.name, wanted.type, entry, call.tool_name, call, optional=wanted.optional)


def _loaded_type(dotted: str) -> type | None:
    """Return the type that a spec names; None if its module is not loaded."""
    module, _, name = dotted.rpartition(".")
    found: Any = getattr(sys.modules.get(module or "builtins"), name, None)
    return found if isclass(found) else None


@functools.lru_cache(maxsize=1024)
def declared_type(dotted: str) -> type | None:
    """Return the declared type of an injected value; None if values cannot be checked against it."""
    module, _, name = dotted.rpartition(".")
    try:
        found: Any = getattr(import_module(module or "builtins"), name)
        isinstance(None, found)  # raises for protocols, for example
    except (Exception, SystemExit):  # an import may raise anything
        return None
    if not isclass(found) or found is object or getattr(found, "_is_protocol", False):
        return None
    return found


@asynccontextmanager
async def opened(dependencies: list[Dependency]) -> AsyncIterator[dict[str, Any]]:
    """Create the values in the event loop, and release them afterwards in reverse order."""
    async with AsyncExitStack() as stack:
        yield {each.name: await open_in_loop(each, stack) for each in dependencies}


async def open_in_loop(dependency: Dependency, stack: AsyncExitStack) -> Any:
    """Create one value in the event loop; `stack` releases it."""
    value = dependency.entry
    if dependency.is_factory:
        value = await _open_async(value(), stack)
        if _is_manager(value) and not dependency.is_value(value):
            value = stack.enter_context(value)
    return dependency.checked(value)


async def _open_async(value: Any, stack: AsyncExitStack) -> Any:
    if not isinstance(value, AbstractAsyncContextManager) and isawaitable(value):
        value = await value
    if isinstance(value, AbstractAsyncContextManager):
        value = await stack.enter_async_context(value)
    return value


@contextmanager
def opened_in_thread(dependencies: list[Dependency], run: ThreadRun) -> Iterator[dict[str, Any]]:
    """Create the values in the worker thread of `run`, and release them there in reverse order."""
    with ExitStack() as stack:
        yield {each.name: open_in_thread(each, run, stack) for each in dependencies}


def open_in_thread(dependency: Dependency, run: ThreadRun, stack: ExitStack) -> Any:
    """Create one value in the worker thread of `run`; `stack` releases it."""
    entry = dependency.entry
    if not dependency.is_factory:
        return _check_thread(dependency, dependency.checked(entry))
    if is_async(entry):
        value = run.in_loop(_call_and_open(entry, run, stack))
    else:
        value = entry()
        if isinstance(value, AbstractAsyncContextManager) or isawaitable(value):
            value = run.in_loop(_open_for_thread(value, run, stack))
    if _is_manager(value) and not dependency.is_value(value):
        value = stack.enter_context(value)
    return dependency.checked(value)


async def _call_and_open(factory: Callable[[], Any], run: ThreadRun, stack: ExitStack) -> Any:
    return await _open_for_thread(factory(), run, stack)


async def _open_for_thread(value: Any, run: ThreadRun, stack: ExitStack) -> Any:
    if not isinstance(value, AbstractAsyncContextManager) and isawaitable(value):
        value = await value
    if isinstance(value, AbstractAsyncContextManager):
        manager, value = value, await value.__aenter__()
        stack.push(lambda *error: run.in_loop(manager.__aexit__(*error), interruptible=False))
    return value


def _check_thread(dependency: Dependency, value: Any) -> Any:
    """Return a value of another thread. Raises MissingDependencyError if it cannot be used in this one.

    A sqlite3.Connection may only be used in the thread that created it, unless it was created with
    `check_same_thread=False`.
    """
    sqlite3: Any = sys.modules.get("sqlite3")
    if sqlite3 is not None and isinstance(value, sqlite3.Connection):
        try:
            value.cursor().close()
        except sqlite3.ProgrammingError as error:
            raise dependency.missing(
                f"{error} Give a factory (`{{{dependency.name!r}: connect}}`), which is called in the worker "
                "thread, or connect with check_same_thread=False."
            ) from None
    return value


def is_factory(value: Any) -> bool:
    """True for a function, method, class or functools.partial."""
    return isroutine(value) or isclass(value) or isinstance(value, functools.partial)


def is_async(factory: Callable[[], Any]) -> bool:
    """True if a factory is known to need the event loop before it is called."""
    inner: Any = factory
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isclass(inner):
        return hasattr(inner, "__aenter__") or hasattr(inner, "__await__")
    return iscoroutinefunction(inner) or isasyncgenfunction(unwrap(inner))


def _is_manager(value: Any) -> bool:
    return hasattr(type(value), "__enter__") and hasattr(type(value), "__exit__")


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
