"""safety-improved: a tool may do less than before.

A hint of MCP says that the tool changes nothing, destroys nothing, can be repeated, or stays inside the
application, and did not say so before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule

_HINTS: Final = {
    "readOnlyHint": (False, True),
    "destructiveHint": (True, False),
    "idempotentHint": (False, True),
    "openWorldHint": (True, False),
}
"""Hint → its default, and its safe value."""


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each hint that became safer."""
    old, new = pair.old.spec.annotations, pair.new.spec.annotations
    for name, (default, safe) in _HINTS.items():
        before, after = getattr(old, name, None), getattr(new, name, None)
        before, after = (default if each is None else each for each in (before, after))
        if before is not safe and after is safe:
            yield ToolEdit(("annotations", name), f"{name} is {str(safe).lower()} now")


RULE: Final = ToolRule(
    code="safety-improved",
    fields=frozenset({"annotations"}),
    check=check,
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
