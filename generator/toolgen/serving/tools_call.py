"""Answer `tools/call`: the result of one call, or the question that the client must ask the user first."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolgen.runtime.call_options import CallerOptions, CallOptions
from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.definition.tool_definition import needs_people
from toolgen.runtime.errors import OutcomeUnknownError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.task import Task

from .auth.grant import grant_of, headers_of, scopes_of
from .confirm import confirmation_options, input_required, is_preview_request, preview_answer
from .current_call import CurrentCall, answering
from .held_questions import Exchange, Requester
from .result import CallProgress, wire_result
from .server_state import ServerState
from .tasks import created, knows_tasks

if TYPE_CHECKING:
    from .approval.address import AddressShown

KEY_META: Final = "toolgen/idempotency_key"
KEY_HEADER: Final = "idempotency-key"  # draft-ietf-httpapi-idempotency-key-header


async def answer_call(
    state: ServerState, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
) -> dict[str, Any] | types.InputRequiredResult:
    """Return the JSON of the result of one `tools/call`, or the question that the client must ask the user.

    Raises MCPError if there is no tool with the name.
    """
    tool = state.tools.find(params.name)
    if tool is None:
        raise await _unknown_tool(state, context, params)
    definition = tool.definition
    name, asks = definition["name"], definition.get("asks", False)
    toolkit, arguments = state.toolkit_for(context), {} if params.arguments is None else params.arguments
    meta: Mapping[str, Any] = params.meta or {}
    grant = grant_of(context, state.settings)
    caller: CallerOptions = {
        "scopes": grant.scopes,
        "principal": grant.principal,
        "headers": headers_of(context),
        "is_lenient": state.is_lenient,
    }
    if is_preview_request(params):
        preview = await toolkit.preview(name, arguments, **caller)
        shown = preview_answer(preview, has_output_schema=tool.has_output_schema)
        return wire_result(shown, tool.form_for(context), context.protocol_version)
    reporter = CallProgress(context)
    exchange = Exchange(Requester(context, params, reporter.progress, grant.principal))
    confirmation: CallOptions = {}
    address: AddressShown | None = None
    if needs_people(definition):
        from .approval.address import show_address  # of tools that people approve

        params, address = show_address(state, exchange, params)
        confirmation = {"show_approval": address}
    elif "confirm" in definition:
        params, confirmation = confirmation_options(params, exchange)

    async def run(call: CurrentCall) -> CurrentCall:
        # a client that does not know tasks waits for the worker
        as_task = "background" in definition and knows_tasks(context)
        options: CallOptions = {
            **caller,
            **confirmation,
            "elicit": exchange.elicit if asks else None,
            "meta": meta,
            "progress": exchange.progress,
            "idempotency_key": _idempotency_key(context, meta),
            "listen": reporter.chunk if "stream" in definition else None,
        }
        call.answer = await (toolkit.submit if as_task else toolkit.call)(name, arguments, **options)
        return call

    # who answers without the scopes is refused by a call, and continues none that is held
    holds = asks and scopes_of(definition) <= grant.scopes
    with answering(context, params, exchange) as call:
        try:
            done = await (_held(state, call, exchange, run(call)) if holds else run(call))
        except ConfirmationPending as pending:
            if address is not None and pending.confirmation.approval is not None:
                return address.result(pending.confirmation)
            return input_required(pending, call.question)
    if isinstance(done, types.InputRequiredResult):
        return done
    call, response = done, done.answer
    if isinstance(response, Task):
        return created(response)
    assert response is not None
    if call.protocol_error is not None and response.error is not None:
        raise call.protocol_error
    own = call.own_fields(response)
    result = wire_result(response, tool.form_for(context), context.protocol_version)
    if own is not None:
        meta_of_both = {**own.pop("_meta", {}), **result.get("_meta", {})}
        result |= {**own, "_meta": meta_of_both} if meta_of_both else own
    return result


async def _held(
    state: ServerState, call: CurrentCall, exchange: Exchange, work: Coroutine[Any, Any, CurrentCall]
) -> CurrentCall | types.InputRequiredResult:
    """Run a call of a tool with `asks`, or go on with the one that waits for the answer in this request."""
    requester, params = exchange.requester, call.params
    if not requester.is_modern:
        return await work
    identity = json.dumps([params.name, params.arguments, requester.principal], sort_keys=True)
    if not state.held.is_answer(params):
        return await state.held.run(work, exchange, identity)
    work.close()  # to begin again would repeat what the call has done
    resumed = await state.held.resume(requester, identity)
    if resumed is not None:
        return resumed
    LOGGER.warning("an answer of a user came to a call of %s that no longer waits, or not here", params.name)
    call.answer = unheld_response(params.name)
    return call


def unheld_response(tool_name: str) -> ToolResponse:
    """Return the response of a call that asked the user, and that cannot be continued here."""
    text = "The call no longer waits for this answer, or waits in another process. What it did is not undone."
    return ToolResponse(tool_name, False, error=OutcomeUnknownError(text))


def _idempotency_key(context: ServerRequestContext[Any, Any], meta: Mapping[str, Any]) -> str | None:
    """Return the key of a request: from its `_meta`, or else from its HTTP header.

    Raises MCPError if both have one, and they differ: one of them would not protect the call.
    """
    key: Any = meta.get(KEY_META)
    header = None if context.request is None else context.request.headers.get(KEY_HEADER)
    if key is not None and header is not None and key != header:
        raise MCPError(
            code=types.INVALID_PARAMS,
            message=f"The header Idempotency-Key and _meta[{KEY_META!r}] differ: leave one out",
        )
    return header if key is None else key


async def _unknown_tool(
    state: ServerState, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
) -> MCPError:
    """Return the error of a call whose name no tool has. The call is logged as any other."""
    grant = grant_of(context, state.settings)
    response = await state.toolkit_for(context).call(
        state.tools.wire_name(params.name), params.arguments, meta=params.meta, principal=grant.principal
    )
    # the protocol has an error for it; a tool result would be shown to the model as an answer:
    # https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
    message = "Unknown tool" if response.error is None else response.error.message
    return MCPError(code=types.INVALID_PARAMS, message=message)
