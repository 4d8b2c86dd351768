"""open-world-gained: a tool that stayed inside the application may reach other systems.

Users who approved the tool did not expect it to send anything elsewhere. `openWorldHint` is true where it
is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec


def hint(spec: Spec) -> bool:
    """Return the hint of a spec, true by default, as MCP has it."""
    found = spec.annotations.openWorldHint if spec.annotations else None
    return True if found is None else found


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the hint changed, be it by its default."""
    old, new = hint(pair.old.spec), hint(pair.new.spec)
    if new and not old:
        yield ToolEdit(("annotations", "openWorldHint"), "openWorldHint is true now")


RULE: Final = ToolRule(
    code="open-world-gained",
    fields=frozenset({"annotations"}),
    check=check,
    advice="offer the part that reaches other systems as a tool of its own",
    category=Category.WIRE,
    level=Level.WARNING,
)
