"""description-changed: what models are told about the tool changed.

`description`, `use_when`, `avoid_when` and `returns` are part of every prompt that has the tool. They
decide when it is called and how. A server that changes them after the tool was approved may do so on
purpose (a rug pull): read the new text as you would read code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.content import entries
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each text that changed."""
    for field in ("description", "use_when", "avoid_when", "returns"):
        if pair.knows(field) and getattr(pair.old.spec, field) != getattr(pair.new.spec, field):
            yield ToolEdit((field,), f"{quoted(field)} changed", getattr(pair.new.spec, field))
    old, new = ([each.description for each in entries(side) or ()] for side in (pair.old, pair.new))
    if pair.knows("content") and old != new and len(old) == len(new):
        yield ToolEdit(("content",), "'description' of 'content' changed", new)


RULE: Final = ToolRule(
    code="description-changed",
    fields=frozenset({"content", "description", "use_when", "avoid_when", "returns"}),
    check=check,
    advice="read the new text: it is part of every prompt that has the tool",
    category=Category.AGENT,
    level=Level.WARNING,
)
