"""content-widened: a result may hold blocks that it could not hold before.

A kind of block, a media type, or more or larger blocks than before: callers may not be able to show or
store them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.contract import Contract
from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import ContentSpec


def entries(contract: Contract) -> list[ContentSpec] | None:
    """Return the entries of `content`; None if any content is allowed."""
    content = contract.spec.content
    return None if isinstance(content, str) else content


def covers(wide: ContentSpec, narrow: ContentSpec) -> bool:
    """True if `wide` allows all blocks that `narrow` allows."""
    return (
        wide.type == narrow.type
        and _has_all(wide.media_types, narrow.media_types)
        and _is_most(narrow.max, wide.max)
        and _is_most(narrow.max_bytes, wide.max_bytes)
    )


def _has_all(wide: list[str], narrow: list[str]) -> bool:
    if not wide:
        return True  # every media type of the kind
    return bool(narrow) and all(each in wide or f"{each.partition('/')[0]}/*" in wide for each in narrow)


def _is_most(number: int | None, limit: int | None) -> bool:
    return limit is None or (number is not None and number <= limit)


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each entry of `content` that allows what no entry allowed before."""
    old, new = entries(pair.old), entries(pair.new)
    if old is None:
        return
    if new is None:
        yield ToolEdit(("content",), "a result may hold any content now", "any")
        return
    for index, entry in enumerate(new):
        if not any(covers(each, entry) for each in old):
            types = ", ".join(entry.media_types)
            message = f"a result may hold other content: {entry.type}{f' ({types})' if types else ''}"
            detail = entry.model_dump(mode="json", exclude={"description", "audience", "priority"})
            yield ToolEdit(("content", index), message, detail)


RULE: Final = ToolRule(
    code="content-widened",
    fields=frozenset({"content"}),
    check=check,
    advice="offer the blocks by a new tool if callers cannot skip what they do not know",
    category=Category.WIRE,
    level=Level.WARNING,
    direction=Direction.RESPONSE,
)
