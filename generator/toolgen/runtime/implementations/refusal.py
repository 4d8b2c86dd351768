"""Answer calls that reach no tool: the name is unknown, or the implementation does not load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import Caller, ToolConfig, ToolContext
from toolgen.runtime.errors import InternalError, ToolError
from toolgen.runtime.instrumentation.record import log_failure, note_failure, observe_call
from toolgen.runtime.logs.call_id import new_call_id
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.text import quote
from toolgen.runtime.tool import SignatureError

from .loading import ImplementationError, ProcessExitError

if TYPE_CHECKING:
    from .registry import Entry


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
    """Answer a call of an unknown tool (`entry` is None), or of one whose loading raised `error`.

    Records and events show an unknown name quoted and shortened, because it is a caller's text.
    """
    shown = quote(name) if entry is None else entry.name
    call = ToolContext(new_call_id(), shown, config, caller.meta or {})
    call.principal, call.session_id = caller.principal, session_id
    definition = None if entry is None else entry.known_definition
    if definition is not None:
        call._version, call._deprecated = definition.get("version"), definition.get("deprecated")
    if isinstance(error, ToolError):
        if isinstance(error, ImplementationError):
            note_failure(call, f"is not implemented: {error.reason}")
        answer = error.with_traceback(None)
    else:  # a failed import is for the developer, not for the agent
        reason = f": {error}" if isinstance(error, SignatureError | ProcessExitError) else ""
        note_failure(call, f"cannot be loaded: {type(error).__name__}{reason}", error)
        answer = InternalError(f"The tool failed. Reference: {call.call_id}.")
    wire_name = name if entry is None else shown
    return await _answer(call, answer, arguments, wire_name=wire_name)


async def _answer(call: ToolContext, error: ToolError, arguments: Any, *, wire_name: str) -> ToolResponse:
    """Return the response with `error`; write the record, the span and the events of a call."""
    response = ToolResponse(wire_name, False, error=error, metadata=call._response_metadata())
    record = observe_call(call, "")
    if record is None:
        log_failure(call, error)
        return response
    with record:
        await record.started(arguments)
        await record.ended(response)
    return response
