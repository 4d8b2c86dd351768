"""Calls that the user has approved, and whose tool asks the user something else since then.

Clients since 2026-07-28 answer a question by repeating the call. The call with the answer to the tool's
question must not ask for the confirmation again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from secrets import token_urlsafe
from time import monotonic
from typing import Final

import mcp_types as types

from toolgen.runtime.confirmation.question import Approval

MAX_CALLS: Final = 1_000
"""That wait for an answer. With more, the oldest asks for its confirmation again."""
_PREFIX: Final = "toolgen/approved:"


@dataclass(frozen=True, slots=True)
class _Call:
    identity: str
    approval: Approval
    state: str | None  # of the tool's question
    expiry: float  # in monotonic seconds


class ApprovedCalls:
    """Approvals by the state that the client sends back, which is sealed. Each is valid once.

    They are kept in this process: with another replica, the user is asked for the confirmation again.
    """

    def __init__(self, seconds: float) -> None:
        """Prepare it: an approval is valid for `seconds`."""
        self._seconds = seconds
        self._calls: dict[str, _Call] = {}  # the oldest first

    def sealed(
        self,
        question: types.InputRequiredResult,
        params: types.CallToolRequestParams,
        principal: str | None,
        approval: Approval,
    ) -> types.InputRequiredResult:
        """Return the question of an approved call, with a state by which `opened` finds the approval."""
        if len(self._calls) >= MAX_CALLS:
            del self._calls[next(iter(self._calls))]
        key = _PREFIX + token_urlsafe(16)
        identity, expiry = _identity(params, principal), monotonic() + self._seconds
        self._calls[key] = _Call(identity, approval, question.request_state, expiry)
        return question.model_copy(update={"request_state": key})

    def opened(
        self, params: types.CallToolRequestParams, principal: str | None
    ) -> tuple[types.CallToolRequestParams, Approval | None]:
        """Return the params as the tool gets them, and the approval; None if there is none for this call."""
        key = params.request_state or ""
        if not key.startswith(_PREFIX):
            return params, None
        call = self._calls.pop(key, None)
        if call is None or call.expiry < monotonic() or call.identity != _identity(params, principal):
            return params.model_copy(update={"request_state": None, "input_responses": None}), None
        return params.model_copy(update={"request_state": call.state}), call.approval


def _identity(params: types.CallToolRequestParams, principal: str | None) -> str:
    return json.dumps([params.name, params.arguments, principal], sort_keys=True)
