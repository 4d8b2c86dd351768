"""Answers to calls that reach no tool: the name is unknown, or the tool does not load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import Caller, ToolConfig, ToolContext
from toolgen.runtime.errors import InternalError, ToolError
from toolgen.runtime.execution.loading import ImplementationError, ProcessExitError
from toolgen.runtime.execution.request import new_id
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.text import quote
from toolgen.runtime.tool import SignatureError

from .record import log_failure, note_failure, observe_call

if TYPE_CHECKING:
    from toolgen.runtime.registry import Entry


async def refuse_call(
    name: str,
    entry: Entry | None,
    error: Exception,
    *,
    arguments: Any,
    caller: Caller,
    config: ToolConfig,
    session_id: str | None,
) -> ToolResponse:
    """Answer a call of an unknown tool (`entry` is None), or of one that `error` keeps from loading.

    Records and events show an unknown name quoted and shortened: it is a caller's text.
    """
    shown = quote(name) if entry is None else entry.definition["name"]
    call = ToolContext(new_id(), shown, config, caller.meta or {})
    call.principal, call.session_id = caller.principal, session_id
    if isinstance(error, ToolError):
        if isinstance(error, ImplementationError):
            note_failure(call, f"is not implemented: {error.reason}")
        answer = error.with_traceback(None)
    else:  # an import or a schema that fails is for the developer, not for the agent
        why = f": {error}" if isinstance(error, SignatureError | ProcessExitError) else ""
        note_failure(call, f"cannot be loaded: {type(error).__name__}{why}", error)
        answer = InternalError(f"The tool failed. Reference: {call.call_id}.")
    wire_name = name if entry is None else shown
    return await refuse(call, answer, arguments, wire_name)


async def refuse(call: ToolContext, error: ToolError, arguments: Any, wire_name: str) -> ToolResponse:
    """Return the response with `error`; with the record, the span and the events that every call has."""
    response = ToolResponse(wire_name, False, error=error, metadata={"call_id": call.call_id})
    record = observe_call(call, "")
    if record is None:
        log_failure(call, error)
        return response
    with record:
        await record.started(arguments)
        await record.ended(response)
    return response
