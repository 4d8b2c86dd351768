"""A function as plain data: schemas of what goes in and comes out, what is injected, what is lost."""

from __future__ import annotations

import collections.abc as abc
import inspect
import typing
from dataclasses import asdict, dataclass, field
from typing import Any, get_args, get_origin

from pydantic import ConfigDict, validate_call

from toolgen.importers.imported_tool import SourceError
from toolgen.importers.python_docs import Docs, read_docs
from toolgen.importers.python_names import dotted, exception, leads_to, resolved
from toolgen.importers.python_types import is_injected, is_object, schema_of
from toolgen.semantics.names import RESERVED
from toolgen.suggestions import shortened

_ITERATORS = (abc.Generator, abc.Iterator)
_ASYNC_ITERATORS = (abc.AsyncGenerator, abc.AsyncIterator)
_AWAITABLES = (abc.Awaitable, abc.Coroutine)
WRAPPED = "result"
"""The property that a result stands in which is no object by itself."""

_P = inspect.Parameter


@dataclass(slots=True)
class Function:
    """What a function says of itself, as JSON."""

    name: str
    module: str
    path: str  # its name in the module, dotted where it is a method
    docs: Docs
    input_schema: dict[str, Any] = field(default_factory=dict)
    output_schema: dict[str, Any] | None = None
    chunk_schema: dict[str, Any] | None = None
    wrapped: bool = False  # the result stands in a property
    awaited: bool = False  # what it returns is to be awaited
    async_chunks: bool = False
    inject: list[dict[str, str]] = field(default_factory=list)  # name, type, and its parameter's name
    exceptions: dict[str, str] = field(default_factory=dict)  # as the docstring has it → MODULE:NAME
    deprecated: str = ""
    by_hand: str = ""  # why it cannot be called with names and values of JSON alone
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Plain data, the docstring taken apart included."""
        return {**asdict(self), "docs": asdict(self.docs)}


def describe(function: Any, module: str, path: str) -> Function:
    """What is to be said of `function`. Raises `SourceError` for what cannot be a tool."""
    origin = f"{module}:{path}"
    if isinstance(function, type) or not callable(function):
        kind = "a class" if isinstance(function, type) else f"a {type(function).__name__}"
        raise SourceError(f"{origin} is {kind}, and no function", "name a function, or a bound method")
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError) as error:
        raise SourceError(f"{origin} does not tell its parameters", "name a function of Python") from error
    inner = inspect.unwrap(getattr(function, "func", function))
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    docs = read_docs(inspect.getdoc(function if inspect.isroutine(function) else inner) or "")
    made = Function(path.rpartition(".")[2], module, path, docs)
    made.deprecated = str(getattr(function, "__deprecated__", None) or "")
    made.exceptions = {written: exception(written, inner) for written, _ in docs.raises}
    made.by_hand = _why_not(function, module, path)
    hints = _hints(signature, inner, made)
    _take_in(made, signature, hints)
    _give_out(made, inner, hints.get("return", Any))
    return made


def _why_not(function: Any, module: str, path: str) -> str:
    """Why `function` cannot be called from elsewhere with names and values of JSON; "" where it can."""
    if not (inspect.isroutine(function) and leads_to(module, path, function)):
        return f"{module}:{path} is no function that can be imported by its name"
    try:
        validate_call(config=ConfigDict(arbitrary_types_allowed=True))(function)
    except Exception as error:  # types have hooks that pydantic calls, and hints are expressions
        return f"pydantic cannot call it: {shortened(str(error).partition(chr(10))[0])}"
    return ""


class Unresolved:
    """A type hint that leads nowhere when the program runs."""


def _hints(signature: inspect.Signature, function: Any, made: Function) -> dict[str, Any]:
    """Parameter, or `return`, → its type, where there is one."""
    written = {name: item.annotation for name, item in signature.parameters.items()}
    written["return"] = signature.return_annotation
    hints: dict[str, Any] = {}
    for name, hint in written.items():
        if hint is inspect.Signature.empty:
            continue
        try:
            hints[name] = resolved(hint, function)
        except Exception as error:  # a hint is an expression, which may raise anything
            made.notes.append(f"{name}: its type {hint!r} is not there when the program runs ({error})")
            hints[name] = Unresolved
    return hints


def _take_in(made: Function, signature: inspect.Signature, hints: dict[str, Any]) -> None:
    """The parameters: what models give, what the application gives, what nobody can."""
    models: list[inspect.Parameter] = []
    for name, item in signature.parameters.items():
        hint = hints.get(name, Any)
        if item.kind is _P.VAR_POSITIONAL:
            made.notes.append(f"*{name}: left out, since models name what they give")
        elif item.kind is _P.VAR_KEYWORD:
            if hint is Any or get_origin(hint) is typing.Unpack or schema_of(hint, "validation") is None:
                made.notes.append(f"**{name}: left out; write the names that it takes as properties")
            else:
                models.append(item.replace(annotation=hint))
        elif name in ("self", "cls") and name not in hints and not models:
            origin = f"{made.module}:{made.path}"
            raise SourceError(f"{origin} is a method without its object", "name a bound method")
        elif hint is Unresolved or is_injected(item, hint) or schema_of(hint, "validation") is None:
            _inject(made, name, hint)
        else:
            if name not in hints:
                made.notes.append(f"{name}: has no type hint; any value is taken")
            models.append(item.replace(kind=_P.KEYWORD_ONLY, annotation=hint))
        if item.kind is _P.POSITIONAL_ONLY:
            made.notes.append(f"{name}: positional-only in Python, a name like any other here")
            made.by_hand = f"{name} is positional-only"
    made.input_schema = _arguments(made, models)


def _inject(made: Function, name: str, hint: Any) -> None:
    kind = "typing.Any" if hint is Unresolved else dotted(hint)
    called = f"{name}_value" if name in RESERVED else name
    made.inject.append({"name": called, "type": kind, "parameter": name})
    renamed = "" if called == name else f" and called {called}"
    made.notes.append(f"{name}: no model can give it; injected as {kind}{renamed}")


def _arguments(made: Function, parameters: list[inspect.Parameter]) -> dict[str, Any]:
    """The schema of an object with these parameters, through a function that has no others."""

    def stand_in() -> None: ...

    stand_in.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    stand_in.__annotations__ = {item.name: item.annotation for item in parameters}
    found = schema_of(stand_in, "validation")
    if found is None:
        origin = f"{made.module}:{made.path}"
        raise SourceError(f"{origin}: its parameters have no JSON Schema together", "write the spec by hand")
    schema, lost = found
    made.notes += lost
    return schema


def _give_out(made: Function, function: Any, hint: Any) -> None:
    """The result: an object as it is, anything else in a property, chunks of a generator one by one."""
    made.awaited = inspect.iscoroutinefunction(function)
    while get_origin(hint) in _AWAITABLES:
        hint = get_args(hint)[-1]
        made.awaited = True
    origin = get_origin(hint) or hint
    made.async_chunks = inspect.isasyncgenfunction(function) or origin in _ASYNC_ITERATORS
    if made.async_chunks or inspect.isgeneratorfunction(function) or origin in _ITERATORS:
        found = schema_of((get_args(hint) or (Any,))[0], "serialization")
        made.chunk_schema = found[0] if found else {}
        if found is None:
            made.notes.append("what it yields has no JSON Schema; chunks may be anything")
    elif hint is Any:
        made.notes.append("the type of its result is not said; no output_schema")
    elif hint is not None and hint is not type(None) and hint is not Unresolved:
        found = schema_of(hint, "serialization")
        if found is None:
            made.notes.append("the type of its result has no JSON Schema; no output_schema")
        else:
            made.notes += found[1]
            made.output_schema = _as_object(made, found[0])


def _as_object(made: Function, schema: dict[str, Any]) -> dict[str, Any]:
    if is_object(schema, schema):
        return schema if schema.get("type") == "object" else {"type": "object", **schema}
    made.wrapped = True
    made.notes.append(f"its result is no object; it stands in the property `{WRAPPED}`")
    definitions = schema.pop("$defs", None)
    wrapped: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "required": [WRAPPED],
        "properties": {WRAPPED: schema},
    }
    return wrapped | ({"$defs": definitions} if definitions else {})
