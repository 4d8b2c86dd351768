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

from toolgen.runtime.definition.semantics.only_if import only_if_of
from toolgen.runtime.definition.tool_definition import LOGGED, ToolDefinition, answers_of, is_idempotent
from toolgen.runtime.errors import ToolError
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.schema.document import JsonObject, JsonPath, SchemaDocument, edited, subschemas
from toolgen.schema.keywords import FORMATS

from .content_rules import content_contract
from .page import page_rule

if TYPE_CHECKING:
    from pydantic import BaseModel


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


class ToolContract:
    """A tool class's contract, compiled, and the same for every call.

    Raises ValueError if one of its schemas is not valid.
    """

    def __init__(self, source: ContractSource) -> None:
        definition = source.definition
        auth, confirm = definition.get("auth", {}), definition.get("confirm")
        self.name = definition["name"]  # wire name
        self.definition = definition
        # strings that contain JSON are turned into values
        self.coerce: bool = getattr(source, "coerces", definition.get("coerce", True))

        # a ToolSpec by itself is its own spec
        spec = getattr(source, "spec", None if isinstance(source, type) else source)
        model: type[BaseModel] | None = getattr(source, "request_model", None)
        answers = answers_of(definition)
        formats = answers == "checked"  # an API knows itself which texts it takes, and sends
        self.request_schema = compile_schema(_enforced(definition["input_schema"], formats))
        self.build_request = _builder(model, spec, "request_model")
        # the request model is hand-written and may refuse more than the schema
        self.has_own_validators = model is not None and getattr(spec, "request_model", None) is model

        output = definition.get("output_schema")
        self.response_schema = None if output is None else compile_schema(_enforced(output, formats))
        self.response_model = source.response_model
        self.build_response = _builder(source.response_model, spec, "response_model")
        self.metadata_model: type[BaseModel] | None = getattr(source, "metadata_model", None)
        # what the tool returns comes from another server, unless it is a model
        self.forwards: bool = getattr(source, "forwards", False)
        # what an API answers is passed on, and logged once if the schema refuses it
        self.passes_answers: bool = self.forwards and answers == LOGGED
        self.has_logged_difference = False
        chunk = definition.get("stream", {}).get("chunk_schema")
        self.chunk_schema = None if chunk is None else compile_schema(chunk)  # None: no stream
        self.content = content_contract(definition)  # None: results have no blocks
        self.page = page_rule(definition)  # None: the size of a response has no limit of its own
        # by code; an error may have one of the runtime
        self.declared: Mapping[str, type[ToolError]] = {error.code: error for error in source.errors}

        self.inject = tuple(
            Injection(entry["name"], entry.get("type", ""), entry.get("optional", False))
            for entry in definition.get("inject", ())
        )
        self.secrets: tuple[str, ...] = tuple(auth.get("secrets", ()))  # environment variables, redacted
        self.scopes: frozenset[str] = frozenset(auth.get("scopes", ()))  # that a caller needs
        self.confirm = confirm
        self.asks: bool = definition.get("asks", False)  # `execute` may ask the user
        pointer = None if confirm is None else confirm.get("only_if")
        # None: every call of a tool with `confirm` asks
        self.only_if = only_if_of(pointer, SchemaDocument(definition["input_schema"]))

        # seconds; None also for a tool that keeps the time itself
        self.timeout = None if getattr(source, "keeps_time", False) else definition.get("timeout")
        self.concurrency = definition.get("concurrency")  # calls at the same time
        self.rate_limit = definition.get("rate_limit")
        # seconds that a result of a worker is kept; None: calls run where they arrive
        self.background: int | None = definition.get("background", {}).get("result_ttl")
        # seconds that a key and its answer are kept; None: the tool takes no keys
        self.idempotency: int | None = definition.get("idempotency", {}).get("ttl")
        self.is_idempotent = is_idempotent(definition)
        # of what callers rely on; empty for a tool without `background`
        self.digest = _digest(definition) if "background" in definition else ""

    def secret_values(self) -> list[str]:
        """Return the values of the secrets, read from the environment now."""
        return [value for value in map(os.environ.get, self.secrets) if value]


_SHOWN = ("name", "version", "input_schema", "output_schema", "errors", "confirm", "content", "page")

_CONTRACTS: WeakKeyDictionary[ContractSource, ToolContract] = WeakKeyDictionary()


def contract_of(source: ContractSource) -> ToolContract:
    """Return the contract, compiled on first use. Raises ValueError if a schema is not valid."""
    contract = _CONTRACTS.get(source)
    if contract is None:
        contract = _CONTRACTS[source] = ToolContract(source)  # harmless if two threads do it
    return contract


def _digest(definition: ToolDefinition) -> str:
    """Return a digest of what a caller of the tool was shown, and a worker must know in the same way."""
    shown = {key: definition.get(key) for key in _SHOWN}
    return hashlib.sha256(json.dumps(shown, sort_keys=True, default=list).encode()).hexdigest()


def _enforced(schema: Mapping[str, Any], formats: bool) -> Mapping[str, Any]:
    """Return what is enforced of a schema: all of it, or all but the formats that JSON Schema defines."""
    if formats or not any(node.get("format") in FORMATS for _, node in subschemas(schema)):
        return schema

    def without(path: JsonPath, node: JsonObject) -> JsonObject:
        return {key: value for key, value in node.items() if key != "format" or value not in FORMATS}

    enforced: Mapping[str, Any] = edited(schema, without)
    return enforced


def _builder(model: type[BaseModel] | None, spec: object, name: str) -> Callable[[Any], Any]:
    """Return `model_validate` of a model, without its overhead.

    JSON has the names of its schema, not the fields' Python names.
    """
    if model is None:
        return copy.deepcopy  # the tool gets a dict, which it may change
    validate = model.__pydantic_validator__.validate_python
    if getattr(spec, name, None) is model:  # hand-written: as its own configuration says
        return validate
    return functools.partial(validate, by_name=False)
