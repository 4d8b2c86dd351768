"""Injected values: provided by the application, created for each call, closed after it.

The context mapping has what a tool injects by its name, or by its type: `{"db": connect}` or
`{sqlite3.Connection: connect}`. A name goes before a type, and a type is
the very one that the spec names.

An entry of the mapping is a value, or a factory: a function, method, class or functools.partial
(no other callable object: a sqlite3.Connection is callable, and is a value). A factory is called once per
call, without arguments. What it gives is entered and left if it is an async context manager, else
awaited if it is awaitable.

Threads: values for an `async def` are made in the event loop's thread. For a plain `def`, factories that
are not async run in the worker thread of the call, so that what they make (a SQLite connection, say) is
used where it was made.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from inspect import isasyncgenfunction as _yields
from inspect import isawaitable, isclass, iscoroutinefunction, isroutine, unwrap
from typing import Any

from toolgen.runtime.errors import MissingDependencyError

Factory = Callable[[], Any]


@dataclass(slots=True)
class Supply:
    """The injected values of one call: those that are there, and factories left for the worker thread."""

    values: dict[str, Any]
    later: dict[str, Factory] = field(default_factory=dict)


def look_up(
    wanted: tuple[tuple[str, str], ...], tool: str, context: Mapping[Any, Any]
) -> Supply | dict[str, Any]:
    """The values that are `wanted`; a Supply where some have to be made. Raises MissingDependencyError."""
    values: dict[str, Any] = {}
    later: dict[str, Factory] = {}
    for name, dotted in wanted:
        try:
            value = context[name] if name in context else context[_type_of(dotted)]
        except KeyError:
            raise MissingDependencyError(
                f"The application has not provided {name!r}, which {tool} needs.", details={"name": name}
            ) from None
        if is_factory(value):
            later[name] = value
        else:
            values[name] = value
    return Supply(values, later) if later else values


def _type_of(dotted: str) -> Any:
    """The type that a spec names. KeyError if its module is not loaded: then it is no key of a mapping."""
    module, _, name = dotted.rpartition(".")
    found: Any = getattr(sys.modules[module or "builtins"], name, None)
    if not isclass(found):
        raise KeyError(dotted)
    return found


@asynccontextmanager
async def supplied(supply: Supply, in_loop: bool) -> AsyncIterator[Supply]:
    """Make what has to be made in the event loop, and close it afterwards, the last made first."""
    async with AsyncExitStack() as stack:
        values, later = dict(supply.values), {}
        for name, factory in supply.later.items():
            if in_loop or _is_async(factory):
                values[name] = await open_value(factory(), stack)
            else:
                later[name] = factory
        yield Supply(values, later)


async def open_value(value: Any, stack: AsyncExitStack) -> Any:
    """What a factory gave, entered or awaited as its kind asks."""
    if _is_manager(value):
        return await stack.enter_async_context(value)
    if isawaitable(value):
        value = await value
        if _is_manager(value):
            return await stack.enter_async_context(value)
    return value


def needs_loop(value: Any) -> bool:
    """Whether what a factory gave has to be entered or awaited."""
    return _is_manager(value) or isawaitable(value)


def is_factory(value: Any) -> bool:
    """A function, method, class or functools.partial."""
    return isroutine(value) or isclass(value) or isinstance(value, functools.partial)


def _is_manager(value: Any) -> bool:
    return isinstance(value, AbstractAsyncContextManager)


def _is_async(factory: Factory) -> bool:
    inner: Any = factory
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isclass(inner):
        return hasattr(inner, "__aenter__") or hasattr(inner, "__await__")
    return iscoroutinefunction(inner) or _yields(unwrap(inner))
