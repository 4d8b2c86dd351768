"""error-retry-changed: whether an error may be retried changed.

Callers and models repeat calls by `retryable`. If it is set, a call that is not safe to repeat is
repeated; if not, a call that would succeed is given up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each code whose `retryable` changed."""
    before = {error.code: error.retryable for error in pair.old.spec.errors}
    for index, error in enumerate(pair.new.spec.errors):
        if before.get(error.code, error.retryable) != error.retryable:
            now = "may now be retried" if error.retryable else "may no longer be retried"
            yield ToolEdit(("errors", index, "retryable"), f"error {quoted(error.code)} {now}", error.code)


RULE: Final = ToolRule(
    code="error-retry-changed",
    fields=frozenset({"errors"}),
    check=check,
    advice="declare another code for the other case",
    category=Category.WIRE,
    level=Level.WARNING,
    direction=Direction.RESPONSE,
)
