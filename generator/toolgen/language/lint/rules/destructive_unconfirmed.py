"""destructive-unconfirmed: a destructive tool may act without the user's consent.

Example:

    annotations: {destructiveHint: true}

Use instead:

    annotations: {destructiveHint: true}
    confirm: {message: "Delete order {order_id}?", on_unsupported: deny}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool

_SAYS_SO: Final = re.compile(
    r"\bconfirm(ation|ed|s)?\b.{0,20}\b(required|needed|first|before)\b", re.IGNORECASE
)


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a destructive tool without `confirm`, or with one that some clients skip.

    A tool that asks by itself has `asks`, or says so in its description, as imported ones may.
    """
    hints, confirm = tool.spec.annotations, tool.spec.confirm
    if hints is None or not hints.destructiveHint or hints.readOnlyHint:
        return
    if confirm is None:
        if tool.spec.asks or _SAYS_SO.search(tool.spec.description):
            return
        yield Diagnostic(
            tool.source.value(("annotations", "destructiveHint")),
            "destructive-unconfirmed",
            "this destructive tool acts without asking the user",
            "add `confirm: {message: …}`; or destructiveHint: false, if it only adds",
        )
    elif confirm.on_unsupported == "allow":
        yield Diagnostic(
            tool.source.value(("confirm", "on_unsupported")),
            "destructive-unconfirmed",
            "this destructive tool acts without confirmation if the client cannot ask the user",
            "use `deny`, or `two_step`, with which the application asks",
        )
