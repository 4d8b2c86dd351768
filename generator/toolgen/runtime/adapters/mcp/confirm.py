"""Asking the user through the client: by a request of the server's up to 2025-11-25, by a second round since.

Whatever is not a clear yes is a no. In the second round the client brings the question's token back in
`request_state`, which the server has sealed; the token is good for one call.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.confirmation.question import (
    Confirm,
    Confirmation,
    ConfirmationPending,
    ConfirmationTokens,
)
from toolgen.runtime.errors import ConfirmationRequiredError

LOGGER = logging.getLogger("toolgen.runtime")

FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Confirm"}},
    "required": ["confirm"],
}

KEY: Final = "confirm"  # of the question among the input requests


@dataclass(frozen=True, slots=True)
class Round:
    """One request that may need the user's word."""

    context: ServerRequestContext[Any, Any]
    params: types.CallToolRequestParams
    arguments: Mapping[str, Any]
    desk: ConfirmationTokens


def asker(this: Round) -> Confirm | None:
    """How the user is asked by this client; None where it cannot be asked."""
    session = this.context.session
    capabilities = session.client_capabilities
    elicitation = None if capabilities is None else capabilities.elicitation
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return None
    if this.context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return _second_round(this)
    return _back_channel(this) if session.can_send_request else None


def input_required(this: Round, asked: Confirmation) -> types.InputRequiredResult:
    """The question, for the client to answer with the same call."""
    request = types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=_text(asked), requested_schema=FORM)
    )
    state = this.desk.issue(asked.tool_name, this.arguments)
    return types.InputRequiredResult(input_requests={KEY: request}, request_state=state)


def _second_round(this: Round) -> Confirm:
    async def confirm(asked: Confirmation) -> bool:
        answer = (this.params.input_responses or {}).get(KEY)
        state = this.params.request_state
        if answer is None or state is None or not this.desk.redeem(state, asked.tool_name, this.arguments):
            raise ConfirmationPending(asked)
        return _is_yes(answer)

    return confirm


def _back_channel(this: Round) -> Confirm:
    async def confirm(asked: Confirmation) -> bool:
        context = this.context
        try:
            answer = await context.session.elicit_form(_text(asked), FORM, context.request_id)
        except MCPError as error:
            LOGGER.warning("the client did not ask the user about %s", asked.tool_name)
            LOGGER.debug("it answered: %s", error)
            raise ConfirmationRequiredError("The user could not be asked to confirm this call.") from None
        return _is_yes(answer)

    return confirm


def _text(asked: Confirmation) -> str:
    return asked.message if asked.preview is None else f"{asked.preview}\n\n{asked.message}"


def _is_yes(answer: object) -> bool:
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return False
    return (answer.content or {}).get("confirm") is True
