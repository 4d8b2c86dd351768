"""Validate what an implementation returns, and write it as JSON: results, chunks of streams, metadata."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.values import ToolResult, is_content
from toolgen.runtime.context import ToolContext
from toolgen.runtime.errors import TooLargeError, ToolError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.settings import Settings
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.faults import (
    find_faults,
    list_faults,
    non_json_faults,
    value_free_faults,
    value_free_model_faults,
)
from toolgen.runtime.validation.json_value import is_json, whole_numbers

from .content_rules import BlockCheck
from .page import PagePosition, PageRule, fitted
from .sent import dump, dump_model, without_refused_nulls
from .tool_contract import ToolContract


class BrokenContract(Exception):  # noqa: N818  logged, and answered with InvalidResponseError
    """A result breaks its contract. The message contains no values; `detail`, for DEBUG records, may."""

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


@dataclass(slots=True)
class WrittenResult:
    """A validated result."""

    content: Any  # a JSON value
    text: str  # the same as compact JSON; a string as it is
    blocks: tuple[Block, ...] = ()


NO_RESPONSE: Final = object()
"""The response of a result that has only blocks."""


def content_of(result: Any, context: ToolContext) -> Any:
    """Return what a tool has returned; of a ToolResponse its content, with the rest noted in `context`.

    Raises the ToolError of a response that has one, BrokenContract for a failure without.
    """
    if not isinstance(result, ToolResponse):
        return result
    if isinstance(result.error, ToolError):
        raise result.error
    if not result.success or result.error is not None:
        raise BrokenContract("it returned a failed ToolResponse whose error is no ToolError")
    if result.blocks:
        raise BrokenContract("it returned a ToolResponse with blocks: return ToolResult(response, image)")
    context.returned = result
    context.metadata.update(result.metadata)
    context.extras.update(result.extras)
    if result.final_answer:
        context.final_answer = True
    return result.content


def write_result(contract: ToolContract, result: Any, settings: Settings | None = None) -> WrittenResult:
    """Return the result of an implementation, validated with the output schema.

    Raises BrokenContract if it does not satisfy the schema, TooLargeError beyond `settings.max_result_bytes`.
    """
    model, schema = contract.response_model, contract.response_schema
    given = result
    passes = contract.passes_answers and not isinstance(result, BaseModel)
    if type(result) is not model and model is not None and not isinstance(result, model) and not passes:
        result = _build(contract, model, result)
    content = _dump(result)
    if content is result and not is_json(content):
        raise _broken(contract, "its response", schema, content)
    data = _encoded(contract, content)
    if schema is None or schema.is_valid(content):
        pass
    elif passes:
        _log_difference(contract, schema, content)
    else:
        # what another server has sent is passed on as it is, or refused
        is_own = isinstance(given, BaseModel) or not contract.forwards
        sent = without_refused_nulls(schema, content) if is_own else content
        if sent is content:
            raise _broken(contract, "its response", schema, content)
        content, data = sent, to_json(sent)
    if settings is not None and len(data) > settings.max_result_bytes:
        raise _too_large(contract, "result", len(data), settings)
    return WrittenResult(content, content if isinstance(content, str) else data.decode())


def _log_difference(contract: ToolContract, schema: CompiledSchema, content: Any) -> None:
    """Log how an answer differs that is passed on: once for each tool."""
    if not contract.has_logged_difference:
        contract.has_logged_difference = True
        LOGGER.warning(
            "tool %s: the answer of the API differs from output_schema, and is passed on:\n%s",
            contract.name,
            value_free_faults(schema, content),
            extra={"event": "differs", "tool_name": contract.name},
        )


def _encoded(contract: ToolContract, content: Any) -> bytes:
    """Return a value that models have written as JSON. Raises BrokenContract if it is none."""
    try:
        data = to_json(content, inf_nan_mode="constants")
    except (ValueError, PydanticSerializationError):  # models accept text that is not valid Unicode
        raise _broken(contract, "its response", None, content) from None
    # `to_json` writes NaN and Infinity as words, which JSON does not have; letters are found much faster, and
    # in a text faster than in bytes
    text = data.decode()
    if ("N" in text or "I" in text) and ("NaN" in text or "Infinity" in text) and not is_json(content):
        raise _broken(contract, "its response", None, content)
    return data


def write_result_with_blocks(
    contract: ToolContract, result: ToolResult[Any, Block], settings: Settings
) -> WrittenResult:
    """Return the result of a tool whose spec declares `content`, response and blocks validated.

    Raises BrokenContract if either breaks the contract, TooLargeError if they are too large together.
    """
    assert contract.content is not None
    check = BlockCheck(contract.content)
    faults = [fault for block in result.content if (fault := check.add(block)) is not None]
    if faults := faults + check.missing():
        raise broken_content(faults)
    if result.response is not NO_RESPONSE:
        written = write_result(contract, result.response, settings)
    elif contract.response_schema is None:
        written = WrittenResult(None, "")
    else:
        raise BrokenContract("it returned content without the response that output_schema describes")
    if result.content:
        size = len(written.text.encode()) + sum(len(block.data) for block in result.content)
        if size > settings.max_result_bytes:
            raise _too_large(contract, "result", size, settings)
        written.blocks = result.content
    return written


def write_page(
    contract: ToolContract, rule: PageRule, result: WrittenResult, position: PagePosition
) -> WrittenResult:
    """Return a result that is not larger than the rule allows: the tool's, or a caller's stricter one.

    Raises TooLargeError if it does not fit, BrokenContract if a page does not satisfy the output schema.
    """
    text, is_json_text = result.text, not isinstance(result.content, str)
    # in ASCII, characters are bytes: most responses are not encoded again
    if not position.skip and is_json_text and text.isascii() and len(text) <= rule.max_bytes:
        return result
    content = fitted(rule, contract.name, result.content, position)
    if content is result.content:
        return result
    page = write_result(contract, content)
    page.blocks = result.blocks
    return page


def broken_content(faults: Sequence[str]) -> BrokenContract:
    """Return the error for blocks that break the contract."""
    return BrokenContract("its content breaks the contract:\n" + "\n".join(f"- {each}" for each in faults))


def _too_large(contract: ToolContract, subject: str, size: int, settings: Settings) -> TooLargeError:
    """Return the error of a result that is larger than the limit."""
    limit = settings.max_result_bytes
    return TooLargeError(
        f"The {subject} of {contract.name} has {size} bytes; the limit is {limit}. Ask for less."
    )


def write_chunks(contract: ToolContract, chunks: list[Any]) -> WrittenResult:
    """Return the chunks of a stream, which have been validated, as its result. Raises BrokenContract."""
    return WrittenResult(chunks, _encoded(contract, chunks).decode())


def as_text(content: Any) -> str:
    """Return a JSON value as compact JSON; a string as it is."""
    if isinstance(content, str):
        return content
    return to_json(content, inf_nan_mode="constants").decode()


def write_chunk(contract: ToolContract, chunk: Any) -> Any:
    """Return one chunk of a stream as a validated JSON value. Raises BrokenContract."""
    content, schema = _dump(chunk), contract.chunk_schema
    # models dump JSON; `write_chunks` checks Unicode
    if content is chunk and not is_json(content):
        raise _broken(contract, "a chunk of its result", schema, content)
    if schema is None or _is_valid(schema, content):
        return content
    with suppress(ValueError):  # text that is not valid Unicode
        if isinstance(chunk, BaseModel) or not contract.forwards:
            sent = without_refused_nulls(schema, content)
            if sent is not content:
                return sent
    marks = "" if contract.response_schema is None else ", or a response that is not marked as one,"
    raise _broken(contract, f"a chunk of its result{marks}", schema, content)


def write_metadata(contract: ToolContract, metadata: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the metadata that a tool has set, as JSON.

    Raises BrokenContract if the tool's `metadata_model` refuses it, TooLargeError beyond the limit.
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
        raise _too_large(contract, "metadata", size, settings)
    return metadata


def _build(contract: ToolContract, model: type[BaseModel], result: Any) -> Any:
    """Return the response model for a result that is not one: implementations may return a dict."""
    if is_content(result) or isinstance(result, ToolResult):
        raise BrokenContract("it returned content, and its spec declares none")
    if isinstance(result, BaseModel):
        raise BrokenContract(f"it returned {type(result).__name__}, not {model.__name__}")
    schema = contract.response_schema
    content = result if is_json(result) else _json_or_none(result)
    # the schema names the faults better than pydantic does
    if schema is not None and (content is not None or result is None) and not schema.is_valid(content):
        sent = content if contract.forwards else without_refused_nulls(schema, content)
        if sent is not content:
            result = sent
        elif content is result:
            raise _broken(contract, "its response", schema, result)
    try:
        return contract.build_response(result)
    except ValidationError:
        try:
            # 1e20 is an integer in JSON Schema, and a float to pydantic
            return contract.build_response(whole_numbers(result))
        except ValidationError as error:
            raise _refused(f"it returned {type(result).__name__}, which", model, error) from None


def _json_or_none(value: Any) -> Any:
    """Return the JSON of a dict with models in it; None if it has none."""
    try:
        content = dump(value)
        return content if is_json(content) else None
    except (PydanticSerializationError, ValueError):
        return None


def _dump(value: Any) -> Any:
    try:
        return dump_model(value) if isinstance(value, BaseModel) else value
    except PydanticSerializationError as error:
        raise BrokenContract("its response cannot be written as JSON", detail=str(error)) from None


def _is_valid(schema: CompiledSchema, content: Any) -> bool:
    try:
        return schema.is_valid(content)
    except ValueError:  # text that is not valid Unicode
        return False


def _broken(
    contract: ToolContract, subject: str, schema: CompiledSchema | None, content: Any
) -> BrokenContract:
    """Return the error for a result that the schema refuses, or that is not JSON."""
    if schema is not None:
        detail = list_faults(find_faults(schema, content, contract.secret_values()))
        return BrokenContract(
            f"{subject} breaks the schema:\n{value_free_faults(schema, content)}", detail=detail
        )
    faults = list(non_json_faults(content))
    return BrokenContract(
        f"{subject} is not JSON:\n{value_free_faults(contract.response_schema, content)}",
        detail=redact(list_faults(faults), contract.secret_values()),
    )


def _refused(
    subject: str, model: type[BaseModel], error: ValidationError | PydanticSerializationError
) -> BrokenContract:
    """Return the error for a result that its model refuses."""
    reasons = ""
    if isinstance(error, ValidationError):
        names = {name for field, info in model.model_fields.items() for name in (field, info.alias) if name}
        reasons = f": {value_free_model_faults(error, names)}"
    return BrokenContract(f"{subject} is not {model.__name__}{reasons}", detail=str(error))
