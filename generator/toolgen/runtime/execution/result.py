"""Check what an implementation returns, and write it as JSON: results, chunks of streams, metadata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from toolgen.runtime.contract import ToolContract
from toolgen.runtime.errors import TooLargeError
from toolgen.runtime.instrumentation.redaction import redact
from toolgen.runtime.settings import Settings
from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.faults import LIMIT, Fault, find_faults, list_faults
from toolgen.runtime.validation.json_value import find_non_json, is_json, whole_numbers
from toolgen.runtime.validation.value_free import value_free_faults, value_free_path


class BrokenContract(Exception):  # noqa: N818  logged, and answered with InvalidResponseError
    """A result that breaks its contract. The message has no values; `detail`, for DEBUG records, may."""

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


@dataclass(slots=True)
class WrittenResult:
    """A result as a JSON value, and its text: compact JSON; a string as it is."""

    content: Any
    text: str


def write_result(contract: ToolContract, result: Any, settings: Settings | None = None) -> WrittenResult:
    """Return the result of an implementation, checked against the output schema.

    Raises BrokenContract where it does not satisfy the schema, TooLargeError beyond
    `settings.max_result_bytes`.
    """
    model, schema = contract.response_model, contract.response_schema
    if type(result) is not model and model is not None and not isinstance(result, model):
        result = _build(contract, model, result)
    content = _dump(result)
    try:
        if (content is result and not is_json(content)) or not (schema is None or schema.is_valid(content)):
            raise _broken(contract, "its response", schema, content)
        data = to_json(content, inf_nan_mode="constants")
        text = data.decode()
    except (ValueError, PydanticSerializationError):  # text that is not valid Unicode passes through models
        raise _broken(contract, "its response", None, content) from None
    if settings is not None and len(data) > settings.max_result_bytes:
        raise too_large(contract, "result", len(data), settings)
    if ("N" in text or "I" in text) and not _is_finite(text, content):
        raise _broken(contract, "its response", None, content)
    return WrittenResult(content, content if isinstance(content, str) else text)


def too_large(contract: ToolContract, what: str, size: int, settings: Settings) -> TooLargeError:
    """Return the error of a result that is larger than the limit."""
    limit = settings.max_result_bytes
    return TooLargeError(
        f"The {what} of {contract.name} has {size} bytes; the limit is {limit}. Ask for less."
    )


def write_chunks(contract: ToolContract, chunks: list[Any]) -> WrittenResult:
    """Return the chunks of a stream, each checked before, as its result. Raises BrokenContract."""
    try:
        text = to_json(chunks, inf_nan_mode="constants").decode()
    except PydanticSerializationError:  # text that is not valid Unicode passes through models
        raise _broken(contract, "its response", None, chunks) from None
    if ("N" in text or "I" in text) and not _is_finite(text, chunks):
        raise _broken(contract, "its response", None, chunks)
    return WrittenResult(chunks, text)


def _is_finite(text: str, content: Any) -> bool:
    """True if nothing in `content`, whose JSON is `text`, is infinite or not a number."""
    return not ("NaN" in text or "Infinity" in text) or is_json(content)


def as_text(content: Any) -> str:
    """Return a JSON value as compact JSON; a string as it is."""
    if isinstance(content, str):
        return content
    return to_json(content, inf_nan_mode="constants").decode()


def is_response(contract: ToolContract, item: Any) -> bool:
    """True if an item of a stream may be its response; False if it can only be a chunk."""
    if contract.response_model is not None and isinstance(item, contract.response_model):
        return True
    content, schema = _dump(item), contract.response_schema
    return schema is None or (is_json(content) and _is_valid(schema, content))


def write_chunk(contract: ToolContract, chunk: Any) -> Any:
    """Return one chunk of a stream as a JSON value, checked. Raises BrokenContract."""
    content = _dump(chunk)
    schema = contract.chunk_schema
    is_written = content is not chunk or is_json(content)  # models dump JSON, up to what `write_chunks` finds
    if not (is_written and (schema is None or _is_valid(schema, content))):
        raise _broken(contract, "a chunk of its result", schema, content)
    return content


def write_metadata(contract: ToolContract, metadata: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the metadata that a tool set, as plain JSON.

    Raises BrokenContract where it does not fit the tool's `metadata_model`, TooLargeError beyond the limit.
    """
    model = contract.metadata_model
    if model is not None:
        try:
            metadata = model.model_validate(metadata).model_dump(mode="json", by_alias=True)
        except (ValidationError, PydanticSerializationError) as error:
            raise _refused("its metadata", model, error) from None
    if not is_json(metadata):
        raise _broken(contract, "its metadata", None, metadata)
    size = len(to_json(metadata, inf_nan_mode="constants"))
    if size > settings.max_result_bytes:
        raise too_large(contract, "metadata", size, settings)
    return metadata


def _build(contract: ToolContract, model: type[BaseModel], result: Any) -> BaseModel:
    """Return the response model made of plain data: an implementation may return a dict, too."""
    if isinstance(result, BaseModel):
        raise BrokenContract(f"it returned {type(result).__name__}, not {model.__name__}")
    schema = contract.response_schema
    if schema is not None and is_json(result) and not schema.is_valid(result):
        raise _broken(contract, "its response", schema, result)
    try:
        return model.model_validate(result)
    except ValidationError:
        pass
    try:
        return model.model_validate(whole_numbers(result))  # 1e20 is an integer, as it is in a request
    except ValidationError as error:
        raise _refused(f"it returned {type(result).__name__}, which", model, error) from None


def _dump(value: Any) -> Any:
    if not isinstance(value, BaseModel):
        return value
    try:  # what `model_dump` does, without its detour
        return value.__pydantic_serializer__.to_python(
            value, mode="json", by_alias=True, exclude_unset=True, warnings=False
        )
    except PydanticSerializationError as error:
        raise BrokenContract("its response cannot be written as JSON", detail=str(error)) from None


def _is_valid(schema: CompiledSchema, content: Any) -> bool:
    try:
        return schema.is_valid(content)
    except ValueError:  # text that is not valid Unicode
        return False


def _broken(contract: ToolContract, what: str, schema: CompiledSchema | None, content: Any) -> BrokenContract:
    """Return the error of a result that the schema refuses, or that is not JSON."""
    if schema is not None:
        detail = list_faults(find_faults(schema, content, contract.secret_values()))
        return BrokenContract(
            f"{what} breaks the schema:\n{value_free_faults(schema, content)}", detail=detail
        )
    faults = [
        Fault(show_path(path), f"expected a JSON value, got {words}")
        for path, words in find_non_json(content)
    ]
    return BrokenContract(
        f"{what} is not JSON:\n{value_free_faults(contract.response_schema, content)}",
        detail=redact(list_faults(faults), contract.secret_values()),
    )


def _refused(
    what: str, model: type[BaseModel], error: ValidationError | PydanticSerializationError
) -> BrokenContract:
    """Return the error of a result that its model refuses."""
    reasons = ""
    if isinstance(error, ValidationError):
        names = {name for field, info in model.model_fields.items() for name in (field, info.alias) if name}
        faults = error.errors(include_input=False, include_url=False, include_context=False)
        found = dict.fromkeys(f"{value_free_path(names, each['loc'])}: {each['type']}" for each in faults)
        reasons = f": {'; '.join([*found][:LIMIT])}"
    return BrokenContract(f"{what} is not {model.__name__}{reasons}", detail=str(error))
