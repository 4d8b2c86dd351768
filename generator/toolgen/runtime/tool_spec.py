"""ToolSpec: the definition of a tool that is written in Python, validated when it is constructed.

Generated tools do not need it: their definitions were validated when they were generated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, cast

from pydantic import BaseModel

from .definition.check import ToolSpecError, definition_faults, plain_data
from .definition.description import join_description
from .definition.spec_schema import FIELDS
from .definition.tool_definition import Fields, ToolDefinition
from .errors import ToolError


@dataclass(frozen=True, slots=True)
class ToolParam:
    """A parameter of a tool: `ToolParam("limit", "integer", schema={"minimum": 1})`.

    `type` is a type of JSON Schema, such as "string" or "integer"; `schema` adds further keywords.
    """

    name: str
    type: str
    description: str = ""
    required: bool = True
    schema: Mapping[str, Any] = field(default_factory=dict)

    def as_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter's value."""
        return _value_schema(self.type, self.description, self.schema)


@dataclass(frozen=True, slots=True)
class ToolReturn:
    """The result of a tool: a type of JSON Schema, a description for the model, further keywords."""

    type: str
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)

    def as_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the result."""
        return _value_schema(self.type, self.description, self.schema)


def _value_schema(json_type: str, description: str, more: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": json_type, **({"description": description} if description else {}), **more}


@dataclass(frozen=True, kw_only=True, eq=False)
class ToolSpec:
    """A tool's contract, written in Python: `spec = ToolSpec(…)` in the body of a BaseTool subclass.

    The parameters are given by `inputs` or by `input_schema`, the result by `returns` or by `output_schema`;
    without either, the tool takes no arguments and may return any JSON value. The other fields are those of
    the spec language; `when_to_use`, `avoid_when` and the description of the result become part of the
    published description. `from_models` takes the schemas from pydantic models.

    Raises ToolSpecError, a ValueError, with every fault at once.
    """

    name: str
    description: str
    when_to_use: str = ""
    avoid_when: str = ""
    inputs: Sequence[ToolParam] = ()
    input_schema: Mapping[str, Any] | None = None
    returns: ToolReturn | str = ""  # a str only describes the result
    output_schema: Mapping[str, Any] | None = None
    title: str | None = None
    version: str | None = None
    tags: Sequence[str] = ()
    annotations: Mapping[str, Any] | None = None
    errors: Sequence[type[ToolError]] = ()
    confirm: Mapping[str, Any] | None = None
    asks: bool = False  # `execute` may ask the user: `await context.elicit(message, Model)`
    inject: Sequence[str | Fields] = ()
    chunk_schema: Mapping[str, Any] | None = None  # schema of each chunk of a streamed result
    content: Sequence[Fields] | Literal["any"] = ()  # blocks that a result may hold
    max_result_bytes: int | None = None  # of the response as compact JSON
    page: Mapping[str, str] | None = None  # JSON Pointers `items`, `cursor` and `from`
    auth: Mapping[str, Any] | None = None
    timeout: float | None = None  # seconds
    background: Mapping[str, int] | None = None  # `result_ttl`: seconds that a result of a worker is kept
    rate_limit: Mapping[str, int] | None = None  # `per_second` and `per_minute`, for each principal
    idempotency: Mapping[str, int] | None = None  # `ttl`: seconds that a key and its answer are kept
    concurrency: int | None = None  # calls at the same time
    group: str | None = None
    load: Literal["always", "deferred"] | None = None
    examples: Sequence[Mapping[str, Any]] = ()
    aliases: Sequence[str] = ()
    deprecated: Fields | None = None
    final_answer: bool = False
    coerce: bool = True
    meta: Mapping[str, Any] | None = None
    targets: Mapping[str, Any] | None = None
    request_model: type[BaseModel] | None = None  # None: `execute` gets a dict
    response_model: type[BaseModel] | None = None  # None: `execute` returns any JSON value
    definition: ToolDefinition = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        faults = list(_faults_of_fields(self))
        texts = _texts(self)
        definition = _definition(self, texts)
        faults += definition_faults(definition)
        if faults:
            subject = f"the ToolSpec of {self.name!r}" if isinstance(self.name, str) else "the ToolSpec"
            raise ToolSpecError(subject, faults)
        notice = cast("Mapping[str, str] | None", self.deprecated)
        description = join_description(self.description, texts, self.content, deprecated=notice)
        definition["description"] = description
        object.__setattr__(self, "definition", cast("ToolDefinition", plain_data(definition)))

    @classmethod
    def from_models(
        cls,
        request_model: type[BaseModel],
        response_model: type[BaseModel] | None = None,
        *,
        name: str,
        description: str,
        **fields: Any,
    ) -> Self:
        """Return a spec with the schemas of two pydantic models. `fields` are further fields of the spec.

        `execute` gets an instance of `request_model`. Arguments that its validators refuse are answered with
        `invalid_request`, as are those that its schema refuses.
        """
        fields.setdefault("input_schema", request_model.model_json_schema())
        if response_model is not None:
            fields.setdefault("output_schema", response_model.model_json_schema(mode="serialization"))
        fields |= {"request_model": request_model, "response_model": response_model}
        return cls(name=name, description=description, **fields)

    def check_inputs(self, raw: Any) -> Any:
        """Return the typed request of raw arguments: an instance of `request_model`, or a dict.

        Raises ToolError with code `invalid_request` and one line per fault in its message.
        """
        # validation is loaded with the first call
        from .contract.request import read_request
        from .contract.tool_contract import contract_of

        return read_request(contract_of(self), raw)


def _faults_of_fields(spec: ToolSpec) -> Iterator[str]:
    """Yield the faults of fields that the definition does not show."""
    if spec.inputs and spec.input_schema is not None:
        yield "give inputs or input_schema, not both"
    if isinstance(spec.returns, ToolReturn) and spec.output_schema is not None:
        yield "give returns as a ToolReturn or output_schema, not both"
    for name in ("inputs", "errors", "inject"):
        if not _is_list(value := getattr(spec, name)):
            yield f"{name}: expected a list, got {type(value).__name__}"
    names: set[str] = set()
    for param in _listed(spec.inputs):
        if not isinstance(param, ToolParam):
            yield f"inputs: expected a ToolParam, got {type(param).__name__}"
        elif not isinstance(param.name, str) or not param.name:
            yield f"inputs: {param.name!r} is not the name of a parameter"
        elif param.name in names:
            yield f"inputs: the parameter {param.name!r} is given twice"
        elif not isinstance(param.required, bool):
            name = f"inputs: the parameter {param.name!r}"
            yield f"{name}: required: expected True or False, got {param.required!r}"
        else:
            names.add(param.name)
    for error in _listed(spec.errors):
        if not _is_class(error, ToolError):
            yield f"errors: expected a subclass of ToolError, got {error!r}"
    for name, text in _given_texts(spec).items():
        if not isinstance(text, str):
            expected = "a ToolReturn or text" if name == "returns" else "text"
            yield f"{name}: expected {expected}, got {type(text).__name__}"
        elif text and not text.strip():
            yield f"{name!r} is empty; write it, or leave the field out"
    for name in ("request_model", "response_model"):
        if (model := getattr(spec, name)) is not None and not _is_class(model, BaseModel):
            yield f"{name}: expected a pydantic model, got {model!r}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _listed(value: Any) -> Sequence[Any]:
    return value if _is_list(value) else ()


def _is_class(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


_ALWAYS: Final = frozenset(("name", "description", "use_when", "avoid_when", "returns", "input_schema"))
"""Fields of a definition that `_definition` writes first, from other fields of a ToolSpec."""

_LISTS: Final = frozenset(("tags", "errors", "inject", "content", "examples", "aliases"))
"""Fields that a definition leaves out if they are empty."""


def _definition(spec: ToolSpec, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the definition as it was given, also if it is wrong; fields that were left out are left out."""
    stem = re.sub(r"\W", "_", spec.name) if isinstance(spec.name, str) else ""
    returns = spec.returns if isinstance(spec.returns, ToolReturn) else None
    output = spec.output_schema if returns is None else returns.as_schema()
    if returns is not None and spec.response_model is None and _is_chunk_schema(output, spec.chunk_schema):
        output = None  # `returns` describes the chunks, and the result is the list of them
    computed: dict[str, Any] = {
        "output_schema": output,
        "errors": [_error(error) for error in _listed(spec.errors) if _is_class(error, ToolError)],
        "inject": [{"name": each} if isinstance(each, str) else each for each in _listed(spec.inject)],
        "stream": None if spec.chunk_schema is None else {"chunk_schema": spec.chunk_schema},
        "asks": None if spec.asks is False else spec.asks,
        "final_answer": None if spec.final_answer is False else spec.final_answer,
        "coerce": None if spec.coerce is True else spec.coerce,
    }
    # the others are written as they were given
    optional = {
        name: computed[name] if name in computed else getattr(spec, name, None)
        for name in FIELDS
        if name not in _ALWAYS
    }
    return {
        "name": spec.name,
        "py_name": stem,
        "class_name": "".join(part[:1].upper() + part[1:] for part in stem.split("_")) + "Tool",
        "description": spec.description,
        **texts,
        "input_schema": _input_schema(spec) if spec.input_schema is None else spec.input_schema,
        **{
            key: value
            for key, value in optional.items()
            if value is not None and not (key in _LISTS and value in ((), []))
        },
    }


def _is_chunk_schema(schema: Any, chunk_schema: Any) -> bool:
    """True if both say the same of a value, whatever they say about it to people."""
    return isinstance(chunk_schema, Mapping) and all(
        key == "description" or schema.get(key) == chunk_schema.get(key) for key in {*schema, *chunk_schema}
    )


def _given_texts(spec: ToolSpec) -> dict[str, Any]:
    returns = spec.returns.description if isinstance(spec.returns, ToolReturn) else spec.returns
    return {"when_to_use": spec.when_to_use, "avoid_when": spec.avoid_when, "returns": returns}


def _texts(spec: ToolSpec) -> dict[str, str]:
    """Return the fields of the definition that are also part of its description, without empty ones."""
    given = {key: text for key, text in _given_texts(spec).items() if isinstance(text, str) and text.strip()}
    return {"use_when" if key == "when_to_use" else key: text for key, text in given.items()}


def _input_schema(spec: ToolSpec) -> dict[str, Any]:
    params = [each for each in _listed(spec.inputs) if isinstance(each, ToolParam)]
    required = [each.name for each in params if each.required]
    return {
        "type": "object",
        "additionalProperties": False,
        **({"required": list(dict.fromkeys(required))} if required else {}),
        "properties": {each.name: each.as_schema() for each in params},
    }


def _error(error: type[ToolError]) -> dict[str, Any]:
    entry: dict[str, Any] = {"code": error.code, "description": error.description}
    if error.retryable:
        entry["retryable"] = error.retryable
    if error.hint:
        entry["hint"] = error.hint
    return entry
