"""Compile a tool's contract, once per class: schemas, injected values, confirmation, declared errors."""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from toolgen.runtime.context import ToolInfo
from toolgen.runtime.definition.semantics.only_if import OnlyIf, only_if_of
from toolgen.runtime.errors import ToolError
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.schema.document import SchemaDocument

from .content_rules import ContentContract, content_contract
from .page import PageRule, page_rule

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.runtime.definition.tool_definition import Fields, ToolDefinition


class ContractSource(Protocol):
    """A tool class, or a ToolSpec by itself. Both may also have `request_model` and `metadata_model`."""

    @property
    def definition(self) -> ToolDefinition: ...
    @property
    def response_model(self) -> type[BaseModel] | None: ...
    @property
    def errors(self) -> Sequence[type[ToolError]]: ...


@dataclass(frozen=True, slots=True)
class Injection:
    """A value that a tool is given by the application."""

    name: str
    type: str  # dotted name; empty if the spec names none
    optional: bool = False  # None if the application has no value


@dataclass(frozen=True, slots=True)
class ToolContract:
    """A tool class's contract, the same for every call."""

    name: str  # wire name
    request_schema: CompiledSchema
    build_request: Callable[[Any], Any]  # `model_validate` of the request model, without its overhead
    has_own_validators: bool  # the request model is hand-written and may refuse more than the schema
    response_schema: CompiledSchema | None  # None: any JSON value
    response_model: type[BaseModel] | None
    build_response: Callable[[Any], Any]  # the same for the response model
    forwards: bool  # what the tool returns comes from another server, unless it is a model
    chunk_schema: CompiledSchema | None  # None: the result is not a stream
    content: ContentContract | None  # None: results have no blocks
    page: PageRule | None  # None: the size of a response has no limit of its own
    inject: tuple[Injection, ...]
    confirm: Mapping[str, Any] | None
    only_if: OnlyIf | None  # None: every call of a tool with `confirm` asks
    timeout: float | None  # seconds
    background: int | None  # seconds that a result of a worker is kept; None: calls run where they arrive
    rate_limit: Fields | None
    idempotency: int | None  # seconds that a key and its answer are kept; None: the tool takes no keys
    concurrency: int | None  # calls at the same time
    declared: Mapping[str, type[ToolError]]  # code → the declared error, which may have a code of the runtime
    secrets: tuple[str, ...]  # environment variables whose values are redacted
    scopes: frozenset[str]  # that a caller needs
    metadata_model: type[BaseModel] | None
    is_idempotent: bool  # a second execution does nothing more
    coerce: bool  # strings that contain JSON are turned into values
    info: ToolInfo
    digest: str  # of what callers rely on; empty for a tool without `background`

    def secret_values(self) -> list[str]:
        """Return the values of the secrets, read from the environment now."""
        return [value for value in map(os.environ.get, self.secrets) if value]


_SHOWN = ("name", "version", "input_schema", "output_schema", "errors", "confirm", "content", "page")

_CONTRACTS: WeakKeyDictionary[ContractSource, ToolContract] = WeakKeyDictionary()


def contract_of(source: ContractSource) -> ToolContract:
    """Return the contract, compiled on first use. Raises ValueError if a schema is not valid."""
    contract = _CONTRACTS.get(source)
    if contract is None:
        contract = _CONTRACTS[source] = _compile(source)  # harmless if two threads do it
    return contract


def _compile(source: ContractSource) -> ToolContract:
    definition = source.definition
    output, stream = definition.get("output_schema"), definition.get("stream")
    auth, pointer = definition.get("auth", {}), definition.get("confirm", {}).get("only_if")
    model: type[BaseModel] | None = getattr(source, "request_model", None)
    # a ToolSpec by itself is its own spec
    spec = getattr(source, "spec", None if isinstance(source, type) else source)
    return ToolContract(
        name=definition["name"],
        request_schema=compile_schema(definition["input_schema"]),
        build_request=_builder(model, spec, "request_model"),
        has_own_validators=model is not None and getattr(spec, "request_model", None) is model,
        response_schema=None if output is None else compile_schema(output),
        response_model=source.response_model,
        build_response=_builder(source.response_model, spec, "response_model"),
        forwards=getattr(source, "forwards", False),
        chunk_schema=None if stream is None else compile_schema(stream["chunk_schema"]),
        content=content_contract(definition),
        page=page_rule(definition),
        inject=tuple(
            Injection(entry["name"], entry.get("type", ""), entry.get("optional", False))
            for entry in definition.get("inject", ())
        ),
        confirm=definition.get("confirm"),
        only_if=only_if_of(pointer, SchemaDocument(definition["input_schema"])),
        timeout=definition.get("timeout"),
        background=None if (kept := definition.get("background")) is None else kept["result_ttl"],
        rate_limit=definition.get("rate_limit"),
        idempotency=None if (keys := definition.get("idempotency")) is None else keys["ttl"],
        concurrency=definition.get("concurrency"),
        declared={error.code: error for error in source.errors},
        secrets=tuple(auth.get("secrets", ())),
        scopes=frozenset(auth.get("scopes", ())),
        metadata_model=getattr(source, "metadata_model", None),
        is_idempotent=_is_idempotent(definition.get("annotations", {})),
        coerce=definition.get("coerce", True),
        info=tool_info(definition),
        digest=_digest(definition) if "background" in definition else "",
    )


def _is_idempotent(annotations: Mapping[str, Any]) -> bool:
    return annotations.get("idempotentHint") is True or annotations.get("readOnlyHint") is True


def _digest(definition: ToolDefinition) -> str:
    """Return a digest of what a caller of the tool was shown, and a worker must know in the same way."""
    shown = {key: definition.get(key) for key in _SHOWN}
    return hashlib.sha256(json.dumps(shown, sort_keys=True, default=list).encode()).hexdigest()


def tool_info(definition: ToolDefinition) -> ToolInfo:
    """Return the fields of a definition that responses and log records have."""
    return ToolInfo(
        definition.get("version"),
        definition.get("deprecated"),
        definition.get("final_answer", False),
        definition.get("asks", False),
    )


def _builder(model: type[BaseModel] | None, spec: object, name: str) -> Callable[[Any], Any]:
    """Return `model_validate` of a model. JSON has the names of its schema, not the fields' Python names."""
    if model is None:
        return copy.deepcopy  # the tool gets a dict, which it may change
    validate = model.__pydantic_validator__.validate_python
    if getattr(spec, name, None) is model:  # hand-written: as its own configuration says
        return validate
    return functools.partial(validate, by_name=False)
