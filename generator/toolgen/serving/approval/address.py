"""Show the address of an approval to the user of a client, where the client can open pages.

Up to 2025-11-25 by a request during the call; the client is notified when the approval has ended. Since
2026-07-28 by the result of the call, which the client repeats; the repeated call waits. No answer of a client
approves anything.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Final

import mcp_types as types
from mcp.server.session import ServerSession

from toolgen.runtime.approval.approvals import Approvals
from toolgen.runtime.confirmation.question import ApprovalAddress, Confirmation, ConfirmationPending
from toolgen.runtime.errors import ConfirmationRequiredError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.text import well_formed
from toolgen.serving.held_questions import Exchange
from toolgen.serving.server_state import ServerState, session_id_of, when_session_ends

KEY: Final = "toolgen/approval"  # of the question in the result
_STATE: Final = "toolgen/approval:"  # how the state of a question begins
_ROUNDS: Final = 9  # of waiting: clients give up after ten
_POLL_SECONDS: Final = 1.0
_MAX_NOTICES: Final = 100  # clients that wait for one: each asks the store once in _POLL_SECONDS


@dataclass(slots=True)
class AddressShown:
    """The option `show_approval` of one request, whose client can open pages.

    Attributes:
        state: of the server.
        exchange: with the client.
        shown: the id of the approval whose address the user has seen.
        rounds: how often calls have waited for it.
        action: what the client did with the address.
    """

    state: ServerState
    exchange: Exchange
    shown: str = ""
    rounds: int = 0
    action: str = "accept"
    has_waited: bool = field(default=False, init=False)

    async def __call__(self, asked: Confirmation) -> bool | None:
        """Show the address once, and return what the client did with it."""
        assert asked.approval is not None
        is_new, is_modern = asked.approval.id != self.shown, self.exchange.requester.is_modern
        if is_modern and (is_new or (self.has_waited and self.rounds < _ROUNDS)):
            raise ConfirmationPending(asked)
        if is_new:
            await self._request(asked, asked.approval)
        elif self.has_waited:
            raise ConfirmationRequiredError
        self.has_waited = True
        return {"accept": True, "decline": False}.get(self.action)

    def result(self, asked: Confirmation) -> types.InputRequiredResult:
        """Return the result that shows the address; after that, one that lets the client repeat the call."""
        assert asked.approval is not None
        is_new = asked.approval.id != self.shown
        rounds = 0 if is_new else self.rounds + 1
        params = types.ElicitRequestURLParams(message=well_formed(asked.message), url=asked.approval.url)
        return types.InputRequiredResult(
            input_requests={KEY: types.ElicitRequest(params=params)} if is_new else None,
            request_state=_STATE + json.dumps([asked.approval.id, rounds]),
        )

    async def _request(self, asked: Confirmation, address: ApprovalAddress) -> None:
        """Show the address by a request. Raises ConfirmationRequiredError if the client cannot."""
        params = types.ElicitRequestURLParams(
            message=well_formed(asked.message), url=address.url, elicitation_id=address.id
        )
        answer = await self.exchange.ask(params)
        if isinstance(answer, types.ErrorData):
            LOGGER.warning("the client did not show where to approve a call of %s", asked.tool_name)
            raise ConfirmationRequiredError
        self.shown, self.action = address.id, answer.action
        approvals, request = self.state.approvals, self.exchange.requester.request
        assert approvals is not None
        assert request is not None
        session = session_id_of(request) or ""
        notices, notice = self.state.notices, (session, address.id)
        # beyond the limit, a client learns it from its next call: the notification is optional in MCP
        if answer.action == "accept" and notice not in notices and len(notices) < _MAX_NOTICES:
            notices.add(notice)
            work = _notify_end(self.state, approvals, address.id, session, request.session)
            when_session_ends(session, self.state.start(work).cancel)


async def _notify_end(
    state: ServerState, approvals: Approvals, approval_id: str, session: str, client: ServerSession
) -> None:
    """Tell a client when an approval is no longer pending: signed, declined or expired."""
    try:
        while not await approvals.ended(approval_id, 0):
            await asyncio.sleep(_POLL_SECONDS)
        await client.send_elicit_complete(approval_id)
    except Exception as error:  # the client has left, or the store is away
        LOGGER.debug("a client was not notified that an approval has ended: %s", error)
    finally:
        state.notices.discard((session, approval_id))


def show_address(
    state: ServerState, exchange: Exchange, params: types.CallToolRequestParams
) -> tuple[types.CallToolRequestParams, AddressShown | None]:
    """Return the params for a tool that people approve, and the option `show_approval` of its call.

    None if the client cannot open pages. Its answer about a page is not for the tool.
    """
    if not exchange.requester.can_show_page:
        return params, None
    given = (params.request_state or "") if exchange.requester.is_modern else ""  # the SDK has sealed it
    if not given.startswith(_STATE):
        return params, AddressShown(state, exchange)
    shown, rounds = json.loads(given.removeprefix(_STATE))
    answer = (params.input_responses or {}).get(KEY)
    # without an answer: a repeated call that waits on
    action = "accept" if answer is None else getattr(answer, "action", "cancel")
    params = params.model_copy(update={"input_responses": None, "request_state": None})
    return params, AddressShown(state, exchange, shown, rounds, action)
