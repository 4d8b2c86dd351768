"""idempotent-lost: a tool that could be called twice may not be.

Clients repeat calls of idempotent tools after a lost connection. A repeated call may now act twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec


def hint(spec: Spec) -> bool:
    """Return the hint of a spec, false by default, as MCP has it."""
    found = spec.annotations.idempotentHint if spec.annotations else None
    return False if found is None else found


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the hint changed, be it by its default."""
    old, new = hint(pair.old.spec), hint(pair.new.spec)
    if old and not new:
        yield ToolEdit(("annotations", "idempotentHint"), "idempotentHint is false now")


RULE: Final = ToolRule(
    code="idempotent-lost",
    fields=frozenset({"annotations"}),
    check=check,
    advice="keep calls with the same arguments idempotent",
    category=Category.WIRE,
    level=Level.ERROR,
)
