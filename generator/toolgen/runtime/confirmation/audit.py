"""The audit log: a record of each question to a user and of each decision about it, in one logger.

A record has no value of the arguments: what was shown is a hash, with which a text can be compared.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, Literal

from toolgen.runtime.text import quote

from .question import Confirm, Confirmation

AUDIT: Final = logging.getLogger("toolgen.audit")

Way = Literal["elicitation", "input_required", "two_step", "callback", "repeated", "none"]
"""How a user is asked: by MCP up to 2025-11-25, by MCP since 2026-07-28, by a token that the application
redeems, by the application's `confirm`. `repeated`: approved before the call was queued for a worker. `none`:
nobody is asked."""

Outcome = Literal[
    "asked",
    "approved",
    "declined",
    "cancelled",
    "expired",
    "refused",
    "changed",
    "unavailable",
    "not_asked",
]
"""`asked` begins a question; the others end one. `refused`: the token was used up, or is that of another call
or holder. `changed`: the user has approved something else, and nothing is done. `unavailable`: nobody could
be asked, or the store did not answer. `not_asked`: done without a question (`on_unsupported: allow`)."""


@dataclass(frozen=True, slots=True)
class KnownWay:
    """A `confirm` of which audit records say how it asks; of any other they say `callback`."""

    confirm: Confirm
    way: Way

    def __call__(self, asked: Confirmation) -> Awaitable[bool | None]:
        return self.confirm(asked)


def record_decision(
    outcome: Outcome, way: Way, *, shown: Confirmation | None = None, **known: str | None
) -> None:
    """Write the audit record of a question or a decision.

    Args:
        outcome: what happened.
        way: how the user was asked.
        shown: what was shown. None if nothing was.
        **known: `tool_name`; `question_id`, in the records of the question and of its answer; `call_id`, as
            in other records; `principal`, who was asked; `session_id` of the conversation. Empty texts and
            None are left out.
    """
    if not AUDIT.isEnabledFor(logging.INFO):
        return
    if shown is not None:
        # what a user reads
        text = shown.text.encode(errors="backslashreplace")
        known["shown_sha256"] = hashlib.sha256(text).hexdigest()
    fields = {key: value for key, value in known.items() if value}
    principal, tool_name = known.get("principal"), known.get("tool_name")
    who = "a user" if principal is None else quote(principal)
    ids = (key for key in ("question_id", "call_id", "shown_sha256") if key in fields)
    facts = ", ".join(f"{key} {fields[key]}" for key in ids)
    message = f"{outcome}: {tool_name or 'a call'} by {who}, {way} ({facts})"
    AUDIT.info("%s", message, extra={"event": outcome, "way": way, **fields})
