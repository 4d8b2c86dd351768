"""safety-improved: the user sees more of what the tool will do, or is asked where the client can ask.

Nothing breaks: a confirmation with `on_unsupported: allow`, a preview, a value in the question. Guards that
break callers have rules of their own: `confirm-added`, `scope-added`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.guards import values_not_shown
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each guard that is new and refuses nobody."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if new is not None and old is None and new.on_unsupported == "allow":
        yield ToolEdit(("confirm",), "the user is asked where the client can ask", "added")
    if old is None or new is None:
        return
    if new.preview and not old.preview:
        yield ToolEdit(("confirm", "preview"), "the user sees a preview")
    for value in values_not_shown(pair.new, pair.old):
        yield ToolEdit(("confirm", "message"), f"the question shows {quoted(value)}, too", value)


RULE: Final = ToolRule(
    code="safety-improved",
    fields=frozenset({"confirm"}),
    check=check,
    advice="",
    category=Category.SAFETY,
    level=Level.INFO,
)
