"""alias-added: a further name is answered.

Every adapter answers the alias, and none lists it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each new alias."""
    for alias in pair.new.spec.aliases:
        if alias not in (*pair.old.spec.aliases, pair.old.name):
            yield ToolEdit(("aliases",), f"alias {quoted(alias)} added", alias)


RULE: Final = ToolRule(
    code="alias-added",
    fields=frozenset({"aliases"}),
    check=check,
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
