"""confirm-text-changed: the question to the user has other words.

The user decides by what it says, and words cannot be compared: read the new question as the user will.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.guards import values_not_shown
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the message changed and still shows what it showed: less is `confirm-weakened`."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old and new and old.message != new.message and not any(values_not_shown(pair.old, pair.new)):
        yield ToolEdit(("confirm", "message"), "question to the user changed", new.message)


RULE: Final = ToolRule(
    code="confirm-text-changed",
    fields=frozenset({"confirm"}),
    check=check,
    advice="read the new question: does it say what the tool will do?",
    category=Category.SAFETY,
    level=Level.WARNING,
)
