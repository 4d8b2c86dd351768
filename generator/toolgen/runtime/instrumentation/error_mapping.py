"""Map an exception to the error that the caller receives; the log gets the details."""

from __future__ import annotations

import logging
from typing import Any, Final

from toolgen.runtime.context import CallFailure, ToolContext
from toolgen.runtime.contract.request import ModelMismatchError
from toolgen.runtime.contract.result import BrokenContract
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import (
    RUNTIME_ERRORS,
    InternalError,
    InvalidResponseError,
    ToolError,
    UnknownToolError,
)
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.validation.json_value import is_json

from .record import note_failure

_ONLY_RUNTIME: Final = (UnknownToolError, InvalidResponseError, InternalError)
"""Reserved errors that only the runtime can raise."""

_ALLOWED: Final = {error.code: error for error in RUNTIME_ERRORS if error not in _ONLY_RUNTIME}


def map_error(error: BaseException, contract: ToolContract, call: ToolContext) -> ToolError:
    """Return the error that the caller receives for `error`; note the cause for the log record of the call.

    Declared and reserved errors keep their text. Everything else, including BaseExceptions such as SystemExit
    and undeclared ToolErrors, becomes `internal_error` with a reference.
    """
    if isinstance(error, ToolError) and not isinstance(error, ModelMismatchError):
        code = error.code
        if isinstance(code, str) and (code in contract.declared or code in _ALLOWED):
            return _as_declared(_checked(error, contract, call), contract).with_traceback(None)
    if isinstance(error, BrokenContract):
        note_failure(call, f"broke its contract: {error}", detail=error.detail)
        text = f"The tool ran, but its answer breaks its contract. Reference: {call.call_id}."
        return InvalidResponseError(text)
    if isinstance(error, ModelMismatchError):
        note_failure(call, error.reason)
    elif isinstance(error, ToolError):
        kind = type(error)
        undeclared = f"failed with {kind.__name__}: its spec does not declare the code {kind.code!r}"
        note_failure(call, undeclared, error)
    else:
        note_failure(call, f"failed with {type(error).__name__}", error)
    return InternalError(f"The tool failed. Reference: {call.call_id}.")


def json_metadata(call: ToolContext) -> dict[str, Any]:
    """Return the metadata of a failed call, without values that are not JSON."""
    return {key: value for key, value in call.metadata.items() if is_json({key: value})}


def _checked(error: ToolError, contract: ToolContract, call: ToolContext) -> ToolError:
    """Drop details that are not JSON; mask the tool's secrets in its texts."""
    if error.details is not None and not is_json(error.details):
        failure = call._failure or CallFailure(f"failed: {error.code}")
        summary = f"{failure.summary}, with details that are not JSON"
        note_failure(call, summary, failure.error, detail=failure.detail, level=logging.WARNING)
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
