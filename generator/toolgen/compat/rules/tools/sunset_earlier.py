"""sunset-earlier: a deprecated tool will go earlier than announced.

Callers plan by the date in `deprecated.sunset`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the date of removal was moved to an earlier day."""
    old, new = pair.old.spec.deprecated, pair.new.spec.deprecated
    if old and new and old.sunset and new.sunset and new.sunset < old.sunset:
        message = f"sunset moved from {old.sunset} to {new.sunset}"
        yield ToolEdit(("deprecated", "sunset"), message, [old.sunset, new.sunset])


RULE: Final = ToolRule(
    code="sunset-earlier",
    fields=frozenset({"deprecated"}),
    check=check,
    advice="keep the date that was announced",
    category=Category.WIRE,
    level=Level.ERROR,
)
