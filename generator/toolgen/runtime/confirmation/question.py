"""The question to the user before a tool acts, the approval, and the audit log of both."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from toolgen.base.escaping.characters import printable
from toolgen.runtime.text import quote
from toolgen.schema.document import locate

MAX_VALUE = 200  # characters of a value in a message
MAX_DISPLAYED = 20_000  # characters of a preview, before any are escaped: a model reads it, too

_MAX_SEARCHED = 50_000_000  # characters, in all searches for arguments: about 50 ms

_PLACEHOLDER = re.compile(r"\{([^{}|]+)(\|count)?\}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that needs an approval."""

    content: Mapping[str, Any]  # of the act: tool, contract, arguments, question, preview, principal, quorum
    title: str  # of the tool
    approvers: tuple[str, ...]  # people and groups; empty: everybody in the file
    caller: str  # digest of the principal, else of the session; empty: of anybody
    call: str  # digest of the tool and its arguments


@dataclass(frozen=True, slots=True)
class ApprovalAddress:
    """Where people approve a call, with `confirm.proof: person`."""

    url: str  # of the page
    id: str
    expires: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question to the user. The only invisible characters in `message` and `preview` are line breaks."""

    tool_name: str
    message: str
    arguments: Mapping[str, Any]  # as the caller sent them, validated
    preview: str | None = None  # the text of the tool's `preview`
    approval: ApprovalAddress | None = None  # people approve the call there, and no answer of the caller does

    @property
    def text(self) -> str:
        """The preview, an empty line, and the question."""
        return self.message if self.preview is None else f"{self.preview}\n\n{self.message}"


@dataclass(frozen=True, slots=True)
class Approval:
    """What the user approved, or people did, for `execute` to compare with what it is about to do."""

    preview: str | None  # exactly the text that the tool's `preview` returned; None if it has none
    message: str
    principal: str | None  # the caller who was asked, where known
    approvers: tuple[str, ...] = ()  # who signed, with `proof: person`
    receipt: str | None = None  # digest of what they signed, as in the receipts


ShowApproval: TypeAlias = Callable[[Confirmation], Awaitable[bool | None]]
"""Shows the address of a pending approval, once a round. True: somebody has opened it, and the call waits 25
seconds for signatures; False: no (`declined`); None: closed (`cancelled`). ConfirmationRequiredError if it
cannot be shown. Nothing of it approves the call."""

Confirm: TypeAlias = Callable[[Confirmation], Awaitable[bool | None]]
"""Asks the user. True: yes, the call is executed; False: no (`declined`); None: closed without an answer
(`cancelled`). Anything else counts as no."""


class ConfirmationPending(Exception):  # noqa: N818  not an error
    """Raised by an application's `confirm` to leave a call unanswered. It propagates through `Toolkit.call`.

    The runtime sets `token`: store it, ask the user, and repeat the call with `confirmation_token=token` if
    the user agrees, in any process that has the key; otherwise call `Toolkit.decline(token)`. The token
    proves that the user approved exactly this call: never pass it to a model. It is None without the extra
    `confirm`.
    """

    def __init__(self, confirmation: Confirmation) -> None:
        self.confirmation = confirmation
        self.token: str | None = None  # set when the application catches this
        super().__init__(confirmation.message)


def render_message(template: str, arguments: Mapping[str, Any]) -> str:
    """Return the question with `{path.to.value}` and `{list|count}` filled in.

    Values are shown in one line, with at most 200 characters, and what is cut is stated; missing values as
    "(none)".
    """

    def fill(match: re.Match[str]) -> str:
        # an index beyond the end counts as missing, as a property does
        found = locate(arguments, tuple(match[1].strip().split(".")))
        value = None if found is None else found.value
        if match[2]:
            return str(len(value)) if isinstance(value, list | dict | str) else "0"
        return _format(value)

    return printable(_PLACEHOLDER.sub(fill, template), keep="\n")


def displayed_preview(preview: str, arguments: Mapping[str, Any]) -> str:
    """Return a preview that is safe to show to the user.

    Control, bidirectional and other invisible characters are escaped, except line breaks and tabs of the
    preview. An argument with several lines that the preview contains unchanged is shown in one line, because
    its lines could imitate those of the tool. If such arguments are too many to look for, the whole
    preview is shown in one line. It is shown up to 20,000 characters; what is cut is stated, with the
    SHA-256 of the whole preview.
    """
    texts = sorted(set(_multiline_texts(arguments)), key=len, reverse=True)
    displayed, keep = preview, "\t"
    if len(texts) * len(preview) <= _MAX_SEARCHED:
        keep = "\n\t"
        # the longest first: a shorter one may be a part of it
        for text in texts:
            if text in preview:
                displayed = displayed.replace(text, printable(text))
    if len(displayed) <= MAX_DISPLAYED:
        return printable(displayed, keep=keep)
    # What is approved is compared in this form, so it must tell apart what is cut, too.
    digest = hashlib.sha256(preview.encode(errors="surrogatepass")).hexdigest()
    what = f"the first {MAX_DISPLAYED} of {len(displayed)} characters; SHA-256 of all: {digest}"
    return f"{printable(displayed[:MAX_DISPLAYED], keep=keep)}\n[cut: {what}]"


def _multiline_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        text = value.strip()
        if "\n" in text:
            yield text
    elif isinstance(value, Mapping | list):
        for inner in (*value, *value.values()) if isinstance(value, Mapping) else value:
            yield from _multiline_texts(inner)


def _format(value: Any) -> str:
    if value is None:
        return "(none)"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = quote(text, MAX_VALUE)[1:-1].replace('\\"', '"')
    if len(text) > MAX_VALUE:
        shown += f" [cut: the first {MAX_VALUE} of {len(text)} characters]"
    return shown


AUDIT: Final = logging.getLogger("toolgen.audit")

Way = Literal["elicitation", "input_required", "two_step", "callback", "repeated", "person", "none"]
"""How a user is asked: by MCP up to 2025-11-25, by MCP since 2026-07-28, by a token that the application
redeems, by the application's `confirm`. `repeated`: approved before the call was queued for a worker.
`person`: people sign with keys of their own. `none`: nobody is asked."""

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
