"""Map an exception to the error that the caller receives; the rest goes to the log."""

from __future__ import annotations

import logging
from typing import Any

from toolgen.runtime.context import ToolContext
from toolgen.runtime.contract import ToolContract
from toolgen.runtime.errors import InternalError, InvalidResponseError, ToolError
from toolgen.runtime.execution.result import BrokenContract
from toolgen.runtime.validation.json_value import is_json

from .record import log
from .redaction import redact


def explain(error: Exception, contract: ToolContract, call: ToolContext) -> ToolError:
    """What the caller is told of `error`; what it is not told is logged under the call's id."""
    if isinstance(error, ToolError):
        return _as_declared(_checked(error, contract, call), contract).with_traceback(None)
    if isinstance(error, BrokenContract):
        log(call, logging.ERROR, f"broke its contract: {error}", "failed", code=InvalidResponseError.code)
        return InvalidResponseError(
            f"The tool ran, but its answer breaks its contract. Reference: {call.call_id}."
        )
    told = f"failed with {type(error).__name__}"
    log(call, logging.ERROR, told, "failed", error, code=InternalError.code)
    return InternalError(f"The tool failed. Reference: {call.call_id}.")


def told_metadata(call: ToolContext) -> dict[str, Any]:
    """What a tool that failed had told of its answer so far, as far as it is JSON."""
    return {key: value for key, value in call.metadata.items() if isinstance(key, str) and is_json(value)}


def _checked(error: ToolError, contract: ToolContract, call: ToolContext) -> ToolError:
    """An error whose details are JSON and whose texts have no secret of the tool."""
    if not isinstance(error, contract.errors):
        what = f"raised {error.code!r}, which its spec does not declare"
        log(call, logging.WARNING, what, "undeclared", code=error.code)
    if error.details is not None and not is_json(error.details):
        what = f"raised {error.code!r} with details that are not JSON"
        log(call, logging.WARNING, what, "details", code=error.code)
        error.details = None
    hidden = contract.hidden()
    if hidden:
        error.message, error.details = redact(error.message, hidden), redact(error.details, hidden)
    return error


def _as_declared(error: ToolError, contract: ToolContract) -> ToolError:
    """The spec's own error of the same code, where it declares one of the runtime's: its hint, its words."""
    own = contract.declared.get(error.code)
    if own is None or isinstance(error, own):
        return error
    return own(error.message, details=error.details)
