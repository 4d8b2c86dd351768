"""A tool as a client calls it: arguments and results are checked against its contract."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from toolgen.runtime.adapters.published_tools import published_name
from toolgen.runtime.content.block import Block
from toolgen.runtime.content.values import ToolResult
from toolgen.runtime.contract.content_rules import BlockCheck, declares_blocks
from toolgen.runtime.contract.request import accept_arguments
from toolgen.runtime.contract.sent import without_refused_nulls
from toolgen.runtime.contract.tool_contract import ToolContract, contract_of
from toolgen.runtime.errors import RUNTIME_ERRORS, InvalidRequestError, InvalidResponseError, ToolError
from toolgen.runtime.response import ERROR_KEY
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.faults import find_faults, list_faults
from toolgen.runtime.validation.json_value import is_json, whole_numbers
from toolgen.serving.received_results import block_of, repeats, response_of, text_of

from .arguments import as_json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.runtime.definition.tool_definition import ToolDefinition

_OF_RUNTIME: Final[Mapping[str, type[ToolError]]] = {error.code: error for error in RUNTIME_ERRORS}


@dataclass(frozen=True, eq=False)
class ClientTool:
    """A tool of a generated client, compiled when it is first called.

    Args:
        definition: as the client was generated from.
        response_model: the class of the response; None: any JSON value.
        errors: the exceptions of the errors that it declares.
    """

    definition: ToolDefinition
    response_model: type[BaseModel] | None
    errors: Sequence[type[ToolError]] = ()

    spec: ClassVar[None] = None  # its generated model reads JSON names only
    coerces: ClassVar[bool] = False  # a client sends what it was given

    @property
    def name(self) -> str:
        """The name by which the server lists the tool."""
        return published_name(self.definition, "mcp")

    @cached_property
    def contract(self) -> ToolContract:
        """The contract, compiled on first use."""
        return contract_of(self)

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON of the arguments. Raises InvalidRequestError with a line for each fault."""
        try:
            arguments, schema = as_json(given), self.contract.request_schema
            if not schema.accepts(arguments) and is_json(arguments):
                arguments = without_refused_nulls(schema, arguments)
            return accept_arguments(self.contract, arguments, {})
        except PydanticSerializationError as error:
            raise InvalidRequestError(f"Invalid arguments for {self.name}: {error}") from None

    def read(self, result: Any) -> Any:
        """Return what a method returns for an `mcp_types.CallToolResult`.

        Raises the declared error, InvalidResponseError if the result breaks the contract, or ToolError.
        """
        if result.is_error:
            raise self.error_of(result)
        contract = self.contract
        schema = contract.response_schema
        if schema is None:
            return self._with_blocks(result, _json_of(result), contract)
        response = response_of(result, schema.accepts)
        built = self._built(contract.build_response, schema, response)
        return self._with_blocks(result, built, contract) if declares_blocks(self.definition) else built

    def undeclared_blocks(self, result: Any, *, with_texts: bool = True) -> tuple[Block, ...]:
        """Return the blocks beside a response whose tool declares none, so that `read` leaves them out.

        Without `with_texts`, texts do not count: many servers repeat the response as text.
        """
        if result.is_error or declares_blocks(self.definition) or self.contract.response_schema is None:
            return ()
        if not with_texts and all(each.type == "text" for each in result.content):
            return ()
        return tuple(each for each in self._blocks(result) if with_texts or each.type != "text")

    def read_chunk(self, text: str) -> Any:
        """Return the chunk that a progress message has. Raises ValueError if it has none."""
        schema = self.contract.chunk_schema
        assert schema is not None
        if schema.accepts(text):
            return text
        value = json.loads(text)
        if not schema.accepts(value):
            raise ValueError(text)
        return value

    def read_chunks(self, result: Any) -> list[Any]:
        """Return all chunks of a stream without a response, which its result has as a list."""
        value, schema = _json_of(result), self.contract.chunk_schema
        chunks = value if isinstance(value, list) else []
        assert schema is not None
        for chunk in chunks:
            if not schema.accepts(chunk):
                raise self._refusal(schema, chunk)
        return chunks

    def error_of(self, result: Any) -> ToolError:
        """Return the exception of a result that is an error."""
        sent = (result.meta or {}).get(ERROR_KEY)
        if not isinstance(sent, Mapping) or not isinstance(sent.get("message"), str):
            return ToolError(text_of(result) or None)
        code = sent.get("code")
        kind = self.contract.declared.get(str(code)) or _OF_RUNTIME.get(str(code))
        after = sent.get("retry_after")
        error = (kind or ToolError)(
            sent["message"],
            details=sent.get("details"),
            retry_after=after if isinstance(after, int | float) else None,
        )
        if kind is None and isinstance(code, str):
            error.args = (f"{error.message} [{code}]",)
        return error

    def _built(self, build: Callable[[Any], Any], schema: CompiledSchema, response: Any) -> Any:
        if not schema.accepts(response):
            raise self._refusal(schema, response)
        try:
            return build(response)
        except ValidationError:
            # 1e20 is an integer in JSON Schema, and a float to pydantic
            return build(whole_numbers(response))

    def _refusal(self, schema: CompiledSchema, value: Any) -> InvalidResponseError:
        faults = find_faults(schema, value)
        shown = [{"path": fault.path, "message": fault.message} for fault in faults]
        return InvalidResponseError(
            f"The answer of {self.name} breaks its contract:\n{list_faults(faults)}",
            details={"faults": shown},
        )

    def _with_blocks(self, result: Any, response: Any, contract: ToolContract) -> ToolResult[Any, Any]:
        blocks = self._blocks(result)
        if contract.content is not None and self.definition.get("content") != "any":
            check = BlockCheck(contract.content)
            # servers send links in place of blocks that are large
            faults = [fault for each in blocks if each.type != "link" and (fault := check.add(each))]
            if not any(each.type == "link" for each in blocks):
                faults += check.missing()
            if faults:
                lines = "\n".join(f"- {fault}" for fault in faults)
                raise InvalidResponseError(f"The answer of {self.name} breaks its contract:\n{lines}")
        return ToolResult(response, *blocks)

    def _blocks(self, result: Any) -> tuple[Block, ...]:
        """Return the blocks beside the response. Raises InvalidResponseError."""
        content = list(result.content)
        first = next((each.text for each in content[:1] if each.type == "text"), None)
        structured = result.structured_content
        if first is not None and (structured is None or repeats(first, structured)):
            del content[0]  # the response, which needs no block
        try:
            return tuple(map(block_of, content))
        except ValueError as error:
            raise InvalidResponseError(f"The answer of {self.name} breaks its contract: {error}") from None


def _json_of(result: Any) -> Any:
    """Return the response of a tool without an output schema: what it sent as JSON, or its text."""
    if result.structured_content is not None:
        return result.structured_content
    texts = [each.text for each in result.content if each.type == "text"]
    if not texts:
        return None
    try:
        value = json.loads(texts[0])
    except (ValueError, RecursionError):
        return texts[0]
    return value if is_json(value) else texts[0]
