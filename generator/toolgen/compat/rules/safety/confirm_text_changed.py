"""confirm-text-changed: the question to the user changed.

The user decides by what it says, and by the preview.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the message changed, or if a preview is shown now or not any more."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old and new and old.message != new.message:
        yield ToolEdit(("confirm", "message"), "question to the user changed")
    if old and new and old.preview and not new.preview:
        yield ToolEdit(("confirm", "preview"), "the user sees no preview any more")


RULE: Final = ToolRule(
    code="confirm-text-changed",
    fields=frozenset({"confirm"}),
    check=check,
    advice="",
    category=Category.AGENT,
    level=Level.INFO,
)
