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
redeems, by the application's `confirm`. `repeated`: the tool has asked something else after the approval, and
the call came again. `none`: nobody is asked."""

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
or holder. `changed`: the user approved something else. `unavailable`: nobody could be asked, or the store did
not answer. `not_asked`: the call was executed without a question, as `on_unsupported: allow` says."""


@dataclass(frozen=True, slots=True)
class KnownWay:
    """A `confirm` of which audit records say how it asks; of any other they say `callback`."""

    confirm: Confirm
    way: Way

    def __call__(self, asked: Confirmation) -> Awaitable[bool | None]:
        return self.confirm(asked)


@dataclass(frozen=True, slots=True)
class Decision:
    """What an audit record says.

    Attributes:
        outcome: what happened.
        way: how the user was asked.
        tool_name: the tool; empty if only its token is known.
        question_id: of the question, in the records of the question and of its answer.
        call_id: of the call in which this happened, as in other records.
        principal: who was asked; None if it is not known.
        session_id: in which conversation; None outside of one.
        shown: what was shown. None if nothing was.
    """

    outcome: Outcome
    way: Way
    tool_name: str = ""
    question_id: str = ""
    call_id: str = ""
    principal: str | None = None
    session_id: str | None = None
    shown: Confirmation | None = None


def record_decision(decision: Decision) -> None:
    """Write the audit record of a decision."""
    if not AUDIT.isEnabledFor(logging.INFO):
        return
    fields = {
        "event": decision.outcome,
        "way": decision.way,
        "tool_name": decision.tool_name or None,
        "question_id": decision.question_id or None,
        "call_id": decision.call_id or None,
        "principal": decision.principal,
        "session_id": decision.session_id,
        "shown_sha256": None if decision.shown is None else digest_of_shown(decision.shown),
    }
    known = {key: value for key, value in fields.items() if value is not None}
    who = "a user" if decision.principal is None else quote(decision.principal)
    shown = (key for key in ("question_id", "call_id", "shown_sha256") if key in known)
    facts = ", ".join(f"{key} {known[key]}" for key in shown)
    message = f"{decision.outcome}: {decision.tool_name or 'a call'} by {who}, {decision.way} ({facts})"
    AUDIT.info("%s", message, extra=known)


def digest_of_shown(shown: Confirmation) -> str:
    """Return the SHA-256 of the text that a user reads: the preview, an empty line, and the question."""
    text = shown.message if shown.preview is None else f"{shown.preview}\n\n{shown.message}"
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()
