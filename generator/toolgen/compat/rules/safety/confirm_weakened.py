"""confirm-weakened: the tool may act without asking the user.

Nothing stops to work. But a user who relied on the question is not asked any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule

_STRICT: Final = ("deny", "two_step", "allow")


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the question is gone, or some callers may do without it now."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old is None:
        return
    if new is None:
        yield ToolEdit(("confirm",), "confirmation removed", "removed")
    elif _STRICT.index(new.on_unsupported) > _STRICT.index(old.on_unsupported):
        message = f"on_unsupported changed from {old.on_unsupported} to {new.on_unsupported}"
        yield ToolEdit(("confirm", "on_unsupported"), message, [old.on_unsupported, new.on_unsupported])


RULE: Final = ToolRule(
    code="confirm-weakened",
    fields=frozenset({"confirm"}),
    check=check,
    advice="keep the confirmation of tools that destroy, spend or send something",
    category=Category.AGENT,
    level=Level.WARNING,
)
