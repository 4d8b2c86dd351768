"""error-text-changed: the description or the hint of an error changed.

Models read both to decide what to do next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each code whose texts changed."""
    before = {error.code: (error.description, error.hint) for error in pair.old.spec.errors}
    for index, error in enumerate(pair.new.spec.errors):
        detail = [error.code, error.description, error.hint]
        if before.get(error.code, (error.description, error.hint)) != (error.description, error.hint):
            yield ToolEdit(("errors", index), f"text of error {quoted(error.code)} changed", detail)


RULE: Final = ToolRule(
    code="error-text-changed",
    fields=frozenset({"errors"}),
    check=check,
    advice="read the new text: models act on it",
    category=Category.AGENT,
    level=Level.WARNING,
)
