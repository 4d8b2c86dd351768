"""group-changed: the tool is in another group.

Where a provider has namespaces, models call the tool by its group and its name. Prompts and recorded
calls have the former group.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the group changed."""
    if pair.old.spec.group != pair.new.spec.group:
        yield ToolEdit(("group",), f"group changed to {pair.new.spec.group}", pair.new.spec.group)


RULE: Final = ToolRule(
    code="group-changed",
    fields=frozenset({"group"}),
    check=check,
    advice="keep the group",
    category=Category.WIRE,
    level=Level.WARNING,
)
