"""title-changed: the tool has another name for people.

Users may not recognise the tool that they approved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the title changed."""
    if pair.old.spec.title != pair.new.spec.title:
        yield ToolEdit(("title",), f"title is {quoted(pair.new.spec.title or '')} now", pair.new.spec.title)


RULE: Final = ToolRule(
    code="title-changed",
    fields=frozenset({"title"}),
    check=check,
    advice="",
    category=Category.AGENT,
    level=Level.INFO,
)
