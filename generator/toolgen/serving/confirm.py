"""Ask the user through the client: by an elicitation request up to 2025-11-25, by InputRequiredResult since.

A closed question is `cancelled`; every other answer except a clear yes counts as no. With
InputRequiredResult, the client repeats the call and sends the confirmation token back in `request_state`,
which the SDK has sealed again and bound to the request.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final

import mcp_types as types
from mcp.server.request_state import RequestStateSecurity

from toolgen.runtime.call_options import CallOptions
from toolgen.runtime.confirmation.question import Confirm, Confirmation, ConfirmationPending, KnownWay
from toolgen.runtime.confirmation.tokens import DEFAULT_SECONDS, DeclinedToken, parse_keys
from toolgen.runtime.errors import ConfirmationRequiredError, DeclinedError, QuestionCancelledError, ToolError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.settings import Settings
from toolgen.runtime.text import well_formed

from .held_questions import Exchange
from .result import PREVIEW_KEY, TOKEN_KEY

FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Confirm"}},
    "required": ["confirm"],
}

KEY: Final = "confirm"  # of the question in `input_requests`
_APPROVED: Final = "toolgen/approved:"  # how the state of a question of an approved tool begins


def request_state_security(settings: Settings) -> RequestStateSecurity:
    """Return how `requestState` is sealed: with the configured keys, else with a key of this process."""
    seconds = DEFAULT_SECONDS if settings.confirmation_expiry is None else settings.confirmation_expiry
    if settings.confirmation_key is None:
        return RequestStateSecurity.ephemeral(ttl=seconds)
    return RequestStateSecurity(keys=parse_keys(settings.confirmation_key), ttl=seconds)


def confirmation_options(
    params: types.CallToolRequestParams, exchange: Exchange
) -> tuple[types.CallToolRequestParams, CallOptions]:
    """Return the params for the tool, and the options for a call that needs confirmation.

    The options depend on the capabilities of the client. The answer to the confirmation, and its token, are
    not for the tool.
    """
    token = (params.meta or {}).get(TOKEN_KEY)
    confirmation_token = token if isinstance(token, str) else None
    is_modern = exchange.requester.is_modern
    state = (params.request_state or "") if is_modern else ""  # which the SDK has sealed
    # an answer to a question of the tool itself, whose call the user has approved before
    if state.startswith(_APPROVED):
        confirmation_token, of_tool = json.loads(state.removeprefix(_APPROVED))
        params = params.model_copy(update={"request_state": of_tool})
    confirm: Confirm | None = None
    if exchange.requester.can_show_form:
        confirm = _ASK_BY_RESULT if is_modern else KnownWay(partial(ask_by_form, exchange), "elicitation")
    answer = (params.input_responses or {}).get(KEY)
    # an answer without the state that it belongs to is none
    if answer is not None and state:
        confirmation_token = state if is_yes(answer) else DeclinedToken.of(state, refusal_of(answer))
    if answer is not None:
        params = params.model_copy(update={"input_responses": None, "request_state": None})
    return params, {"confirm": confirm, "confirmation_token": confirmation_token}


def input_required(
    pending: ConfirmationPending, of_tool: types.InputRequiredResult | None
) -> types.InputRequiredResult:
    """Return the result that asks the client for the user's answer: to the confirmation, or `of_tool`.

    The call with the answer to a question of the tool has the token of the approval, which is valid once.
    """
    if of_tool is None:
        form = types.ElicitRequestFormParams(
            message=well_formed(pending.confirmation.text), requested_schema=FORM
        )
        request = types.ElicitRequest(params=form)
        return types.InputRequiredResult(input_requests={KEY: request}, request_state=pending.token)
    if pending.token is None:
        return of_tool
    state = _APPROVED + json.dumps([pending.token, of_tool.request_state])
    return of_tool.model_copy(update={"request_state": state})


def is_preview_request(params: types.CallToolRequestParams) -> bool:
    """True if the client asks for the preview of the call."""
    return (params.meta or {}).get(PREVIEW_KEY) is True


def preview_answer(response: ToolResponse, *, has_output_schema: bool) -> ToolResponse:
    """Return a preview as a response that clients accept.

    They refuse a result without structured content if the tool has an output schema. A preview that is only a
    text is therefore returned as an error, as for clients that cannot ask the user.
    """
    if not response.success or not (has_output_schema and isinstance(response.content, str)):
        return response
    error = ConfirmationRequiredError(response.content, details={"preview": response.content})
    return ToolResponse(response.tool_name, False, error=error, metadata=response.metadata)


async def _raise_pending(asked: Confirmation) -> bool:
    raise ConfirmationPending(asked)


_ASK_BY_RESULT: Final = KnownWay(_raise_pending, "input_required")


async def ask_by_form(exchange: Exchange, asked: Confirmation) -> bool:
    """Return True if the user agrees. Raises the error of a call for any other answer, and for none."""
    form = types.ElicitRequestFormParams(message=well_formed(asked.text), requested_schema=FORM)
    answer = await exchange.ask(form)
    if isinstance(answer, types.ErrorData):
        LOGGER.warning("the client did not ask the user about %s", asked.tool_name)
        LOGGER.debug("it answered: %s", answer.message)
        raise ConfirmationRequiredError("The user could not be asked to confirm this call.")
    if is_yes(answer):
        return True
    raise refusal_of(answer)


def is_yes(answer: object) -> bool:
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return False
    return (answer.content or {}).get("confirm") is True


def refusal_of(answer: object) -> ToolError:
    """Return the error of a call for an answer that is not a clear yes."""
    if isinstance(answer, types.ElicitResult) and answer.action == "cancel":
        return QuestionCancelledError()
    # a form can be accepted without the box: that is no consent
    if isinstance(answer, types.ElicitResult) and answer.action == "accept":
        return DeclinedError("The user sent the form without ticking the box, so nothing was done.")
    return DeclinedError()
