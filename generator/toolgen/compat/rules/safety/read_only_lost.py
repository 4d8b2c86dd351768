"""read-only-lost: a tool that changed nothing may change something.

Clients run read-only tools without asking the user, and users have approved this tool as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec


def hint(spec: Spec) -> bool:
    """Return the hint of a spec, false by default, as MCP has it."""
    found = spec.annotations.readOnlyHint if spec.annotations else None
    return False if found is None else found


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the hint changed, be it by its default."""
    old, new = hint(pair.old.spec), hint(pair.new.spec)
    if old and not new:
        yield ToolEdit(("annotations", "readOnlyHint"), "readOnlyHint is false now")


RULE: Final = ToolRule(
    code="read-only-lost",
    fields=frozenset({"annotations"}),
    check=check,
    advice="offer the change as a tool of its own",
    category=Category.WIRE,
    level=Level.ERROR,
)
