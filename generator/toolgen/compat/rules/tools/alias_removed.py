"""alias-removed: a name that was answered is no longer answered.

Aliases are never listed, but every adapter answers them: they are there for callers that know a former
name. A name that becomes the tool's own name stays answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each former alias that the new version does not answer."""
    answered = {*pair.new.spec.aliases, pair.new.name}
    for alias in pair.old.spec.aliases:
        if alias not in answered:
            yield ToolEdit(("aliases",), f"alias {quoted(alias)} removed", alias)


RULE: Final = ToolRule(
    code="alias-removed",
    fields=frozenset({"aliases"}),
    check=check,
    advice="keep the alias until no caller uses it",
    category=Category.WIRE,
    level=Level.ERROR,
)
