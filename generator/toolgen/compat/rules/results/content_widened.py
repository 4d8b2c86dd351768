"""content-widened: a result may hold blocks that it could not hold before.

A kind of block, a media type, or more or larger blocks than before: callers may not be able to show or
store them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.content import described, entries, identity, not_covered
from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each entry of `content` that allows what no entry allowed before."""
    if entries(pair.new) is None and entries(pair.old) is not None:
        yield ToolEdit(("content",), "a result may hold any content now", "any")
    for index, entry in not_covered(pair.old, pair.new):
        message = f"a result may hold other content: {described(entry)}"
        yield ToolEdit(("content", index), message, identity(entry))


RULE: Final = ToolRule(
    code="content-widened",
    fields=frozenset({"content"}),
    check=check,
    advice="offer the blocks by a new tool if callers cannot skip what they do not know",
    category=Category.WIRE,
    level=Level.WARNING,
    direction=Direction.RESPONSE,
)
