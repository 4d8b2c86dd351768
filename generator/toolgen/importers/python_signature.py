"""A function as plain data: schemas of what goes in and comes out, what is injected, what is lost."""

from __future__ import annotations

import collections.abc as abc
import inspect
import types
import typing
from dataclasses import asdict, dataclass, field
from typing import Any, get_args, get_origin

from toolgen.importers.python_types import dotted, is_injected, is_object, schema_of
from toolgen.importers.tool import SourceError

_ITERATORS = (abc.Generator, abc.AsyncGenerator, abc.Iterator, abc.AsyncIterator)
_AWAITABLES = (abc.Awaitable, abc.Coroutine)
WRAPPED = "result"
"""The property that a result stands in which is no object by itself."""

_P = inspect.Parameter


@dataclass(slots=True)
class Function:
    """What a function says of itself, as JSON."""

    name: str
    origin: str
    module: str
    qualname: str
    doc: str = ""
    input_schema: dict[str, Any] = field(default_factory=dict)
    output_schema: dict[str, Any] | None = None
    chunk_schema: dict[str, Any] | None = None
    wrapped: bool = False  # the result stands in a property
    is_async: bool = False
    inject: list[dict[str, str]] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)  # parameters that cannot be given by name
    deprecated: str = ""
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def describe(function: Any, name: str, origin: str) -> Function:
    """Raises `SourceError` for what cannot be a tool."""
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
    made = Function(
        name=name,
        origin=origin,
        module=str(getattr(inner, "__module__", "")),
        qualname=str(getattr(inner, "__qualname__", "")),
        doc=inspect.getdoc(function if inspect.isroutine(function) else inner) or "",
        is_async=inspect.iscoroutinefunction(inner),
        deprecated=str(getattr(function, "__deprecated__", None) or ""),
    )
    hints = {key: _resolved(hint, inner, key, made) for key, hint in _annotations(signature).items()}
    _take_in(made, signature, hints)
    _give_out(made, inner, hints.get("return", Any))
    return made


def _annotations(signature: inspect.Signature) -> dict[str, Any]:
    found = {name: item.annotation for name, item in signature.parameters.items()}
    found["return"] = signature.return_annotation
    return {name: hint for name, hint in found.items() if hint is not inspect.Signature.empty}


class Unresolved:
    """A type hint that leads nowhere when the program runs."""


def _resolved(hint: Any, function: Any, name: str, made: Function) -> Any:
    """What a hint stands for that may be written as text."""
    holder = types.SimpleNamespace(__annotations__={name: hint})
    try:
        names = getattr(function, "__globals__", {})
        return typing.get_type_hints(holder, globalns=names, localns={}, include_extras=True)[name]
    except Exception as error:  # it is an expression, which may raise anything
        made.notes.append(f"{name}: its type {hint!r} is not there when the program runs ({error})")
        return Unresolved


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
            raise SourceError(f"{made.origin} is a method without its object", "name a bound method")
        elif _is_ours(item, hint):
            _inject(made, name, hint)
        else:
            if name not in hints:
                made.notes.append(f"{name}: has no type hint; any value is taken")
            if item.kind is _P.POSITIONAL_ONLY:
                made.positional.append(name)
                made.notes.append(f"{name}: positional-only in Python; models give it by its name")
            models.append(item.replace(kind=_P.KEYWORD_ONLY, annotation=hint))
    made.input_schema = _arguments(made, models)


def _is_ours(item: inspect.Parameter, hint: Any) -> bool:
    return hint is Unresolved or is_injected(item, hint) or schema_of(hint, "validation") is None


def _inject(made: Function, name: str, hint: Any) -> None:
    kind = "typing.Any" if hint is Unresolved else dotted(hint)
    made.inject.append({"name": name, "type": kind})
    made.notes.append(f"{name}: no model can give it; injected as {kind}")


def _arguments(made: Function, parameters: list[inspect.Parameter]) -> dict[str, Any]:
    """The schema of an object with these parameters, through a function that has no others."""

    def stand_in() -> None: ...

    stand_in.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    stand_in.__annotations__ = {item.name: item.annotation for item in parameters}
    found = schema_of(stand_in, "validation")
    if found is None:
        raise SourceError(f"{made.origin}: its parameters have no JSON Schema together", "import it by hand")
    schema, lost = found
    made.notes += lost
    return schema


def _give_out(made: Function, function: Any, hint: Any) -> None:
    """The result: an object as it is, anything else in a property, chunks of a generator one by one."""
    while get_origin(hint) in _AWAITABLES:
        hint = get_args(hint)[-1]
        made.is_async = True
    yields = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    origin = get_origin(hint) or hint
    if yields or origin in _ITERATORS:
        chunk = (get_args(hint) or (Any,))[0]
        found = schema_of(chunk, "serialization")
        made.chunk_schema = found[0] if found else {}
        if found is None:
            made.notes.append("what it yields has no JSON Schema; chunks may be anything")
        return
    if hint is None or hint is type(None) or hint is Unresolved:
        return
    if hint is Any:
        made.notes.append("the type of its result is not said; no output_schema")
        return
    found = schema_of(hint, "serialization")
    if found is None:
        made.notes.append("the type of its result has no JSON Schema; no output_schema")
        return
    schema, lost = found
    made.notes += lost
    if is_object(schema, schema):
        made.output_schema = schema if schema.get("type") == "object" else {"type": "object", **schema}
        return
    made.wrapped = True
    made.notes.append(f"its result is no object; it stands in the property `{WRAPPED}`")
    definitions = schema.pop("$defs", None)
    made.output_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": [WRAPPED],
        "properties": {WRAPPED: schema},
    } | ({"$defs": definitions} if definitions else {})
