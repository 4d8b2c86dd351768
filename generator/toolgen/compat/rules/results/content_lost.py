"""content-lost: blocks that a result always held may be missing.

An entry of `content` with `min` promises blocks. It is gone, or its `min` is lower.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each promise of `content` that is not kept."""
    if isinstance(pair.old.spec.content, str):
        return
    new = [] if isinstance(pair.new.spec.content, str) else pair.new.spec.content
    for entry in pair.old.spec.content:
        kept = [each for each in new if each.type == entry.type]
        types = set(entry.media_types)
        if types:
            kept = [each for each in kept if each.media_types and types.issuperset(each.media_types)]
        if entry.min and sum(each.min for each in kept) < entry.min:
            message = f"a result no longer always holds {entry.min} of {entry.type}"
            yield ToolEdit(("content",), message, [entry.type, *entry.media_types])


RULE: Final = ToolRule(
    code="content-lost",
    fields=frozenset({"content"}),
    check=check,
    advice="keep `min`",
    category=Category.WIRE,
    level=Level.ERROR,
    direction=Direction.RESPONSE,
)
