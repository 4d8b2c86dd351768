"""confirm-weakened: the user is no longer asked, or sees less of what the tool will do.

The confirmation or its preview was removed, callers that cannot ask the user may do without it, or the
question no longer shows a value of the request. A value that a new preview can show counts as shown, and so
does one that requests can no longer have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.guards import values_not_shown
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted

_STRICT: Final = ("deny", "two_step", "allow")


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each way in which the user decides less."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old is None:
        return
    if new is None:
        yield ToolEdit(("confirm",), "confirmation removed", "removed")
        return
    if _STRICT.index(new.on_unsupported) > _STRICT.index(old.on_unsupported):
        message = f"on_unsupported changed from {old.on_unsupported} to {new.on_unsupported}"
        yield ToolEdit(("confirm", "on_unsupported"), message, [old.on_unsupported, new.on_unsupported])
    if old.preview and not new.preview:
        yield ToolEdit(("confirm", "preview"), "the user no longer sees a preview")
    for value in values_not_shown(pair.old, pair.new):
        message = f"the question no longer shows {quoted(value)}"
        yield ToolEdit(("confirm", "message"), message, value)


RULE: Final = ToolRule(
    code="confirm-weakened",
    fields=frozenset({"confirm"}),
    check=check,
    advice="keep the confirmation of tools that destroy, spend or send something, and what it shows",
    category=Category.SAFETY,
    level=Level.ERROR,
)
