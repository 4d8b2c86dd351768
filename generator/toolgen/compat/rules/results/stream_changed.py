"""stream-changed: a result now arrives in chunks, or no longer does.

Callers that wait for one result do not read chunks, and the other way round. Implementations yield
chunks, or return a response.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if `stream` was added or removed."""
    old, new = pair.old.spec.stream, pair.new.spec.stream
    if old is None and new is not None:
        yield ToolEdit(("stream",), "the result now arrives in chunks", "added")
    elif new is None and old is not None:
        yield ToolEdit(("stream",), "the result no longer arrives in chunks", "removed")


RULE: Final = ToolRule(
    code="stream-changed",
    fields=frozenset({"stream"}),
    check=check,
    advice="offer a new tool for the other way, and deprecate this one",
    category=Category.WIRE,
    level=Level.ERROR,
    direction=Direction.RESPONSE,
)
