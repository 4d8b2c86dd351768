"""Describe a function as JSON: schemas of arguments and result, injected parameters, and what is lost."""

from __future__ import annotations

import collections.abc as abc
import inspect
import types
import typing
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

from pydantic import ConfigDict, validate_call

from toolgen.base.suggestions import shortened
from toolgen.runtime.definition.rules import RESERVED
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.python.docstring import ParsedDocstring, parse_docstring
from toolgen.sources.python.type_hints import (
    described_hint,
    dotted_name,
    exception_path,
    is_importable,
    is_injected,
    resolve_hint,
    type_schema,
)

_ITERATORS = (abc.Generator, abc.Iterator)
_ASYNC_ITERATORS = (abc.AsyncGenerator, abc.AsyncIterator)
_AWAITABLES = (abc.Awaitable, abc.Coroutine)
WRAPPED = "result"
"""The property that holds a result that is not an object."""


@dataclass(slots=True)
class FunctionDescription:
    """The signature and the docstring of a function, parsed."""

    name: str
    module: str
    path: str  # the name in the module, dotted for a method
    docstring: ParsedDocstring
    input_schema: dict[str, Any] = field(default_factory=dict)
    output_schema: dict[str, Any] | None = None
    chunk_schema: dict[str, Any] | None = None
    wrapped: bool = False  # the result is the property `result` of the output
    awaited: bool = False  # the function returns an awaitable
    async_chunks: bool = False  # the function returns an async iterator
    inject: list[dict[str, Any]] = field(default_factory=list)  # name, type, parameter, optional
    exceptions: dict[str, str] = field(default_factory=dict)  # as the docstring has it → MODULE:NAME
    deprecated: str = ""
    by_hand: str = ""  # why an implementation that calls it cannot be generated
    notes: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """MODULE:PATH."""
        return f"{self.module}:{self.path}"


def describe_function(function: Any, module: str, path: str) -> FunctionDescription:
    """Return the description of `function`. Raises `SourceError` if it cannot be a tool."""
    origin = f"{module}:{path}"
    if isinstance(function, type) or not callable(function):
        kind = "a class" if isinstance(function, type) else f"a {type(function).__name__}"
        raise SourceError(f"{origin} is {kind}, not a function", "name a function, or a bound method")
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError) as error:
        raise SourceError(
            f"{origin} has no readable signature", "name a function written in Python"
        ) from error
    inner = inspect.unwrap(getattr(function, "func", function))
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    docstring = parse_docstring(inspect.getdoc(function if inspect.isroutine(function) else inner) or "")
    description = FunctionDescription(path.rpartition(".")[2], module, path, docstring)
    description.deprecated = str(getattr(function, "__deprecated__", None) or "")
    description.exceptions = {raised.name: exception_path(raised.name, inner) for raised in docstring.raises}
    description.by_hand = _why_by_hand(function, module, path)
    hints = _resolve_hints(signature, inner, description)
    _describe_parameters(description, signature, hints)
    _describe_result(description, inner, hints.get("return", Any))
    return description


def _why_by_hand(function: Any, module: str, path: str) -> str:
    """Return why generated code cannot call `function` with JSON values by name, "" if it can."""
    if not (inspect.isroutine(function) and is_importable(module, path, function)):
        return f"{module}:{path} cannot be imported by its name"
    try:
        validate_call(config=ConfigDict(arbitrary_types_allowed=True))(function)
    except Exception as error:  # types have hooks that pydantic calls, and hints are expressions
        reason, _, _ = str(error).partition("\n")
        return f"pydantic cannot call it: {shortened(reason)}"
    return ""


class Unresolved:
    """Stands for a type hint that cannot be resolved when the program runs."""


def _resolve_hints(
    signature: inspect.Signature, function: Any, description: FunctionDescription
) -> dict[str, Any]:
    """Return parameter name (or `return`) → type, for those that have a hint."""
    written = {name: item.annotation for name, item in signature.parameters.items()}
    written["return"] = signature.return_annotation
    hints: dict[str, Any] = {}
    for name, hint in written.items():
        if hint is inspect.Signature.empty:
            continue
        try:
            hints[name] = resolve_hint(hint, function)
        except Exception as error:  # a hint is an expression, which may raise anything
            description.notes.append(f"{name}: its type {hint!r} cannot be resolved ({error})")
            hints[name] = Unresolved
    return hints


def _describe_parameters(
    description: FunctionDescription, signature: inspect.Signature, hints: dict[str, Any]
) -> None:
    """Sort the parameters into those that models give, injected ones, and those left out."""
    notes = description.notes
    from_model: list[inspect.Parameter] = []
    for name, item in signature.parameters.items():
        hint = described_hint(hints.get(name, Any))
        if item.kind is item.VAR_POSITIONAL:
            notes.append(f"*{name}: left out, since arguments of tools have names")
        elif item.kind is item.VAR_KEYWORD:
            if hint is Any or get_origin(hint) is typing.Unpack or type_schema(hint, "validation") is None:
                notes.append(f"**{name}: left out; write the names that it accepts as properties")
            else:
                from_model.append(item.replace(annotation=hint))
        elif name in ("self", "cls") and name not in hints and not from_model:
            raise SourceError(f"{description.origin} is an unbound method", "name a bound method")
        elif hint is Unresolved or is_injected(item, hint) or type_schema(hint, "validation") is None:
            _inject(description, name, hint)
        else:
            if name not in hints:
                notes.append(f"{name}: has no type hint; any value is accepted")
            from_model.append(item.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint))
        if item.kind is item.POSITIONAL_ONLY:
            notes.append(f"{name}: is positional-only in Python; it has a name in the spec")
            description.by_hand = f"{name} is positional-only"
    description.input_schema = _arguments_schema(description, from_model)


def _inject(description: FunctionDescription, name: str, hint: Any) -> None:
    kind = "typing.Any" if hint is Unresolved else dotted_name(hint)
    injected_name = f"{name}_value" if name in RESERVED else name
    optional = {"optional": True} if types.NoneType in get_args(hint) else {}
    description.inject.append({"name": injected_name, "type": kind, "parameter": name, **optional})
    renamed = "" if injected_name == name else f", called {injected_name}"
    description.notes.append(f"{name}: cannot come from a model; injected as {kind}{renamed}")


def _arguments_schema(
    description: FunctionDescription, parameters: list[inspect.Parameter]
) -> dict[str, Any]:
    """Return the schema of an object with these parameters: that of a function that has no others."""

    def stand_in() -> None: ...

    stand_in.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    stand_in.__annotations__ = {item.name: item.annotation for item in parameters}
    found = type_schema(stand_in, "validation")
    if found is None:
        message = f"{description.origin}: pydantic makes no JSON Schema of its parameters"
        raise SourceError(message, "write the spec by hand")
    description.notes += found.lost
    return found.schema


def _describe_result(description: FunctionDescription, function: Any, hint: Any) -> None:
    """Describe an object as it is, any other result as a property, a generator by its chunks."""
    description.awaited = inspect.iscoroutinefunction(function)
    while get_origin(hint) in _AWAITABLES:
        hint = get_args(hint)[-1]
        description.awaited = True
    origin = get_origin(hint) or hint
    description.async_chunks = inspect.isasyncgenfunction(function) or origin in _ASYNC_ITERATORS
    if description.async_chunks or inspect.isgeneratorfunction(function) or origin in _ITERATORS:
        found = type_schema((get_args(hint) or (Any,))[0], "serialization")
        description.chunk_schema = found.schema if found else {}
        if found is None:
            description.notes.append("its chunks have no JSON Schema; chunks may be anything")
    elif hint is Any:
        description.notes.append("its result has no type hint; no output_schema")
    elif hint is not None and hint is not type(None) and hint is not Unresolved:
        found = type_schema(hint, "serialization")
        if found is None:
            description.notes.append("the type of its result has no JSON Schema; no output_schema")
        else:
            description.notes += found.lost
            description.output_schema = _as_object(description, found.schema)


def _as_object(description: FunctionDescription, schema: dict[str, Any]) -> dict[str, Any]:
    if is_object_schema(SchemaDocument(schema)):
        return schema if schema.get("type") == "object" else {"type": "object", **schema}
    description.wrapped = True
    description.notes.append(f"its result is not an object; the output has it as the property `{WRAPPED}`")
    definitions = schema.pop("$defs", None)
    wrapped: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "required": [WRAPPED],
        "properties": {WRAPPED: schema},
    }
    return wrapped | ({"$defs": definitions} if definitions else {})
