"""A tool's contract, compiled once per class: schemas, injected values, confirmation, declared errors."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

from .errors import RUNTIME_ERRORS, ToolError
from .validation.compiled_schema import CompiledSchema, compile_schema

if TYPE_CHECKING:
    from pydantic import BaseModel

    from .tool import BaseTool

MethodKind: TypeAlias = Literal["coroutine", "generator", "plain"]


@dataclass(frozen=True, slots=True)
class ToolContract:
    """Everything about a tool class that holds for every call."""

    name: str  # wire name
    request_schema: CompiledSchema
    validate: Callable[[Any], Any]  # arguments to the request: `model_validate` without its overhead
    response_schema: CompiledSchema | None  # None: any JSON value
    response_model: type[BaseModel] | None
    chunk_schema: CompiledSchema | None  # None: the result is not a stream
    inject: tuple[tuple[str, str], ...]  # (name, dotted type)
    confirm: Mapping[str, Any] | None
    timeout: float | None  # seconds
    concurrency: int | None  # calls at the same time
    errors: tuple[type[ToolError], ...]  # errors that are reported as they are
    declared: Mapping[str, type[ToolError]]  # code → the spec's own, which may be one of the runtime's codes
    secrets: tuple[str, ...]  # names of environment variables whose values are never shown
    scopes: frozenset[str]  # what a caller must be allowed
    metadata_model: type[BaseModel] | None
    final_answer: bool
    coerce: bool  # strings that hold JSON are turned into values

    def secret_values(self) -> list[str]:
        """Return the values of the secrets, read from the environment now."""
        return [value for value in map(os.environ.get, self.secrets) if value]


_CONTRACTS: WeakKeyDictionary[type, ToolContract] = WeakKeyDictionary()


def contract_of(tool: type[BaseTool[Any, Any]]) -> ToolContract:
    """Return the contract of a tool class, made on first use. Raises ValueError if a schema is not valid."""
    contract = _CONTRACTS.get(tool)
    if contract is None:
        contract = _CONTRACTS[tool] = _make(tool)  # two threads may both make it: harmless
    return contract


def _make(tool: type[BaseTool[Any, Any]]) -> ToolContract:
    definition = tool.definition
    output, stream = definition.get("output_schema"), definition.get("stream")
    return ToolContract(
        name=definition["name"],
        request_schema=compile_schema(definition["input_schema"]),
        validate=_validator_of(tool),
        response_schema=None if output is None else compile_schema(output),
        response_model=tool.response_model,
        chunk_schema=None if stream is None else compile_schema(stream["chunk_schema"]),
        inject=tuple((entry["name"], entry.get("type", "")) for entry in definition.get("inject", ())),
        confirm=definition.get("confirm"),
        timeout=definition.get("timeout"),
        concurrency=definition.get("concurrency"),
        errors=(*tool.errors, *RUNTIME_ERRORS),
        declared={error.code: error for error in tool.errors},
        secrets=tuple(definition.get("auth", {}).get("secrets", ())),
        scopes=frozenset(definition.get("auth", {}).get("scopes", ())),
        metadata_model=tool.metadata_model,
        final_answer=definition.get("final_answer", False),
        coerce=definition.get("coerce", True),
    )


def _validator_of(tool: type[BaseTool[Any, Any]]) -> Callable[[Any], Any]:
    """Return what makes the request of arguments that the schema accepts."""
    model: type[BaseModel] | None = getattr(tool, "request_model", None)
    if model is None:
        return copy.deepcopy  # the tool gets a dict, which it may change
    validate: Callable[[Any], Any] = model.__pydantic_validator__.validate_python
    spec = getattr(tool, "spec", None)
    if getattr(spec, "request_model", None) is not model:
        return validate  # generated: the model accepts whatever the schema accepts
    from .execution.request import validate_by_model

    return partial(validate_by_model, tool.definition["name"], validate)


def method_kind(method: Callable[..., Any]) -> MethodKind:
    """Return how a method has to be run: a plain `def` in a worker thread, all else in the event loop."""
    if inspect.iscoroutinefunction(method):
        return "coroutine"
    return "generator" if inspect.isasyncgenfunction(method) else "plain"
