"""destructive-gained: a tool that destroyed nothing may destroy something.

Clients ask the user before destructive tools, and users have approved this tool as another one.
`destructiveHint` is true where it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec


def hint(spec: Spec) -> bool:
    """Return the hint of a spec, true by default, as MCP has it."""
    found = spec.annotations.destructiveHint if spec.annotations else None
    return True if found is None else found


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the hint changed, be it by its default."""
    old, new = hint(pair.old.spec), hint(pair.new.spec)
    if new and not old:
        yield ToolEdit(("annotations", "destructiveHint"), "destructiveHint is true now")


RULE: Final = ToolRule(
    code="destructive-gained",
    fields=frozenset({"annotations"}),
    check=check,
    advice="offer the destructive part as a tool of its own",
    category=Category.WIRE,
    level=Level.ERROR,
)
