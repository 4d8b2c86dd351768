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
imported or cannot be checked (`typing.Any`, most protocols) accept everything. A value that is `optional` in
the spec may be None, and is None if the mapping has no entry for it.

Threads: values for an `async def` are created in the event loop's thread. For a `def`, factories that are not
async run in the worker thread of the call, so that what they create (a SQLite connection, for example) is
used and closed in the thread that created it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from importlib import import_module
from inspect import isasyncgenfunction, isawaitable, isclass, iscoroutinefunction, isroutine, unwrap
from typing import Any

from toolgen.runtime.context import ToolContext
from toolgen.runtime.contract.tool_contract import Injection
from toolgen.runtime.errors import MissingDependencyError

from .threads.thread_run import Place


class MissingValueError(MissingDependencyError):
    """The application has not given a value that the spec injects."""

    hint = "The developer adds it to CONTEXT, in the package of implementations, or to the toolkit's context."


@dataclass(frozen=True, slots=True)
class Dependency:
    """An entry of the application's context that a tool injects."""

    wanted: Injection
    entry: Any
    call: ToolContext

    def is_value(self, value: Any) -> bool:
        """True if `value` is an instance of the declared type, and that type can be checked."""
        declared = declared_type(self.wanted.type)
        return declared is not None and isinstance(value, declared)

    def checked(self, value: Any) -> Any:
        """Return `value`. Raises MissingDependencyError if it is None or not of the declared type."""
        kind = self.wanted.type
        if value is None and self.wanted.optional:
            return None
        if value is None and kind not in ("typing.Any", "builtins.object"):
            raise self.missing("it is None")
        declared = declared_type(kind)
        if declared is not None and not isinstance(value, declared):
            raise self.missing(f"it must be {kind}, and is {_type_name(value)}")
        return value

    def missing(self, reason: str) -> MissingDependencyError:
        """Return the error for the caller, and log the reason for the operator."""
        name, tool_name = self.wanted.name, self.call.tool_name
        self.call.logger.warning("tool %s has no usable %r: %s", tool_name, name, reason)
        return missing_dependency(name, tool_name)


def missing_dependency(name: str, tool_name: str) -> MissingDependencyError:
    """Return the error of a value that the application has not provided."""
    return MissingValueError(
        f"The application has not provided {name!r}, which {tool_name} needs.",
        details={"name": name},
    )


def find_dependencies(
    injections: Iterable[Injection], call: ToolContext, context: Mapping[Any, Any]
) -> list[Dependency]:
    """Return the entries of `context` for what a tool injects. Raises MissingDependencyError."""
    return [_find(each, call, context) for each in injections]


def _find(wanted: Injection, call: ToolContext, context: Mapping[Any, Any]) -> Dependency:
    key = context_key(wanted, context)
    if key is None and not wanted.optional:
        raise missing_dependency(wanted.name, call.tool_name)
    return Dependency(wanted, None if key is None else context[key], call)


def context_key(wanted: Injection, context: Mapping[Any, Any]) -> str | type | None:
    """Return the name or type under which `context` has a value; None if it has none."""
    if wanted.name in context:
        return wanted.name
    declared = _loaded_type(wanted.type)
    return declared if declared is not None and declared in context else None


def _loaded_type(dotted: str) -> type | None:
    """Return the type that a spec names; None if its module is not loaded."""
    module, _, name = dotted.rpartition(".")
    # a context key of this type exists only if its module is loaded: importing it would be slow
    found: Any = getattr(sys.modules.get(module or "builtins"), name, None)
    return found if isclass(found) else None


@functools.cache
def declared_type(dotted: str) -> type | None:
    """Return the declared type of an injected value; None if values cannot be checked against it."""
    module, _, name = dotted.rpartition(".")
    try:
        found: Any = getattr(import_module(module or "builtins"), name)
        isinstance(None, found)  # raises for a protocol that is not `runtime_checkable`, for example
    except (Exception, SystemExit):  # an import may raise anything
        return None
    return found if isclass(found) and found is not object else None  # everything is an `object`


async def open_values(dependencies: list[Dependency], place: Place, stack: AsyncExitStack) -> dict[str, Any]:
    """Create the values where the method runs. `stack` releases them there, in reverse order."""
    return {each.wanted.name: await _open_value(each, place, stack) for each in dependencies}


async def _open_value(dependency: Dependency, place: Place, stack: AsyncExitStack) -> Any:
    if not is_factory(dependency.entry):
        value = dependency.checked(dependency.entry)
        if place.is_thread:
            _check_thread(dependency, value)
        return value

    async def made(value: Any) -> Any:
        # some are both, such as a pool of asyncpg, and are closed only if they are entered
        if isawaitable(value) and not isinstance(value, AbstractAsyncContextManager):
            return await value
        return value

    async def called() -> Any:
        return await made(dependency.entry())

    if place.is_thread and is_async(dependency.entry):
        value = await place.awaited(called())
    else:
        value = dependency.entry()
        if isawaitable(value):
            value = await place.awaited(made(value))
    if isinstance(value, AbstractAsyncContextManager):
        value = await place.entered(value, stack)
    if _is_manager(value) and not dependency.is_value(value):
        value = stack.enter_context(value)
    return dependency.checked(value)


def _check_thread(dependency: Dependency, value: Any) -> None:
    """Raise MissingDependencyError if a value of another thread cannot be used in this one.

    A sqlite3.Connection may only be used in the thread that created it, unless it was created with
    `check_same_thread=False`.
    """
    sqlite3: Any = sys.modules.get("sqlite3")
    if sqlite3 is not None and isinstance(value, sqlite3.Connection):
        try:
            value.cursor().close()
        except sqlite3.ProgrammingError as error:
            raise dependency.missing(
                f"{error} Give a factory (`{{{dependency.wanted.name!r}: connect}}`), which is called in the "
                "worker thread, or connect with check_same_thread=False."
            ) from None


def is_factory(value: Any) -> bool:
    """True for a function, method, class or functools.partial."""
    return isroutine(value) or isclass(value) or isinstance(value, functools.partial)


def is_async(factory: Callable[[], Any]) -> bool:
    """True if a factory is known to need the event loop before it is called."""
    inner: Any = factory
    # a partial of an async function is not a coroutine function to `inspect`
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isclass(inner):
        return hasattr(inner, "__aenter__") or hasattr(inner, "__await__")
    return iscoroutinefunction(inner) or isasyncgenfunction(unwrap(inner))


def _is_manager(value: Any) -> bool:
    # of the type: instances with `__getattr__`, such as mocks, have every attribute
    return hasattr(type(value), "__enter__") and hasattr(type(value), "__exit__")


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
