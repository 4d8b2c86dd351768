"""page-changed: large responses are paged in another way.

Callers find items and the next cursor by the pointers in `page`. Without `page`, a response that is too
large is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the old version was paged, and the new one is not, or otherwise."""
    old, new = pair.old.spec.page, pair.new.spec.page
    if old is not None and old != new:
        message = "large responses are no longer paged" if new is None else "pages have other places"
        yield ToolEdit(("page",), message, new and new.model_dump(mode="json"))


RULE: Final = ToolRule(
    code="page-changed",
    fields=frozenset({"page"}),
    check=check,
    advice="keep the properties that hold items and cursors",
    category=Category.WIRE,
    level=Level.ERROR,
    direction=Direction.RESPONSE,
)
