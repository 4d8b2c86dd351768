"""scope-added: callers need a further scope.

Callers whose token does not have the scope are answered `insufficient_scope`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each scope that was not needed before."""
    before = pair.old.spec.auth.scopes if pair.old.spec.auth else []
    for scope in pair.new.spec.auth.scopes if pair.new.spec.auth else []:
        if scope not in before:
            yield ToolEdit(("auth", "scopes"), f"scope {quoted(scope)} is needed now", scope)


RULE: Final = ToolRule(
    code="scope-added",
    fields=frozenset({"auth"}),
    check=check,
    advice="grant the scope to all callers before the change goes live",
    category=Category.WIRE,
    level=Level.ERROR,
    direction=Direction.REQUEST,
)
