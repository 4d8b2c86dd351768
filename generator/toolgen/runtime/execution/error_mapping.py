"""Error mapping: the error that a caller receives for an exception; the log gets the details.

The exception is one of an implementation, or of loading it: then the call reaches no tool.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from toolgen.runtime.context import Caller, CallFailure, ToolConfig, ToolContext, response_metadata
from toolgen.runtime.contract.result import BrokenContract
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.elicitation import UnusableQuestionError
from toolgen.runtime.errors import (
    RUNTIME_ERRORS,
    InternalError,
    InvalidResponseError,
    ToolError,
    UnknownToolError,
)
from toolgen.runtime.instrumentation.call_record import log_failure, observe_call
from toolgen.runtime.logs.call_id import new_call_id
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.text import quote
from toolgen.runtime.tool import ImplementationError, ProcessExitError, SignatureError
from toolgen.runtime.validation.json_value import is_json

_ONLY_RUNTIME: Final = (UnknownToolError, InvalidResponseError, InternalError)
"""Reserved errors that only the runtime can raise."""

_ALLOWED: Final = {error.code: error for error in RUNTIME_ERRORS if error not in _ONLY_RUNTIME}


def map_error(error: BaseException, contract: ToolContract, call: ToolContext) -> ToolError:
    """Return the error that the caller receives for `error`; note the cause for the log record of the call.

    Declared and reserved errors keep their text. Everything else, including BaseExceptions such as SystemExit
    and undeclared ToolErrors, becomes `internal_error` with a reference.
    """
    if isinstance(error, ToolError):
        code = error.code
        if isinstance(code, str) and (code in contract.declared or code in _ALLOWED):
            return _as_declared(_checked(error, contract, call), contract).with_traceback(None)
    if isinstance(error, BrokenContract):
        call.failure = CallFailure(f"broke its contract: {error}", detail=error.detail)
        text = f"The tool ran, but its answer breaks its contract. Reference: {call.call_id}."
        return InvalidResponseError(text)
    if isinstance(error, UnusableQuestionError):
        call.failure = CallFailure(f"cannot use context.elicit: {error}", error)
    elif isinstance(error, ToolError):
        kind = type(error)
        undeclared = f"failed with {kind.__name__}: its spec does not declare the code {kind.code!r}"
        details = getattr(error, "details", None)
        texts = (Exception.__str__(error), kind.hint, details if is_json(details) else "")
        call.failure = CallFailure(undeclared, error, detail="\n".join(str(each) for each in texts if each))
    else:
        summary = f"failed with {type(error).__name__}{_import_hint(error, contract)}"
        call.failure = CallFailure(summary, error)
    return InternalError(f"The tool failed. Reference: {call.call_id}.")


def _import_hint(error: BaseException, contract: ToolContract) -> str:
    """Return how to import a declared error that was written `self.NotFoundError`, or without an import."""
    if type(error) is AttributeError or type(error) is NameError:  # subclasses can redefine `name`
        for each in contract.declared.values():
            name = each.__name__
            if name == error.name:
                return f": write `from {each.__module__} import {name}`, then `raise {name}(…)`"
    return ""


def json_metadata(call: ToolContext) -> dict[str, Any]:
    """Return the metadata of a failed call, without values that are not JSON."""
    return {key: value for key, value in call.metadata.items() if is_json({key: value})}


def _checked(error: ToolError, contract: ToolContract, call: ToolContext) -> ToolError:
    """Drop details that are not JSON; mask the tool's secrets in its texts."""
    if error.details is not None and not is_json(error.details):
        failure = call.failure or CallFailure(f"failed: {error.code}")
        summary = f"{failure.summary}, with details that are not JSON"
        call.failure = CallFailure(summary, failure.error, detail=failure.detail, level=logging.WARNING)
        error.details = None
    hidden = contract.secret_values()
    if hidden:
        error.message, error.details = redact(error.message, hidden), redact(error.details, hidden)
    return error


def _as_declared(error: ToolError, contract: ToolContract) -> ToolError:
    """Return the error as an instance of the class that defines its code, declared or the runtime's."""
    error_class = contract.declared.get(error.code) or _ALLOWED[error.code]
    if isinstance(error, error_class):
        return error
    return error_class(error.message, details=error.details, retry_after=error.retry_after)


async def refuse_call(
    name: str,
    error: Exception,
    *,
    tool_name: str | None,
    definition: ToolDefinition | None,
    arguments: Any,
    caller: Caller,
    config: ToolConfig,
    session_id: str | None,
) -> ToolResponse:
    """Answer a call of an unknown tool (`tool_name` is None), or of one whose loading raised `error`.

    Records and events show an unknown name quoted and shortened, because it is a caller's text.
    `definition` is None if it is not known: importing it may be what has failed.
    """
    call = ToolContext(
        new_call_id(),
        tool_name or quote(name),
        config,
        caller.meta or {},
        principal=caller.principal,
        session_id=session_id,
        info=definition or {},
    )
    if isinstance(error, ToolError):
        if isinstance(error, ImplementationError):
            call.failure = CallFailure(f"is not implemented: {error.reason}")
        answer = error.with_traceback(None)
    else:  # a failed import is for the developer, not for the agent
        reason = f": {error}" if isinstance(error, SignatureError | ProcessExitError) else ""
        call.failure = CallFailure(f"cannot be loaded: {type(error).__name__}{reason}", error)
        answer = InternalError(f"The tool failed. Reference: {call.call_id}.")
    response = ToolResponse(tool_name or name, False, error=answer, metadata=response_metadata(call))
    record = observe_call(call, "")
    if record is None:
        log_failure(call, answer)
        return response
    with record:
        await record.report("started", arguments=arguments)
        await record.ended(response)
    return response
