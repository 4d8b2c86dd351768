"""scope-removed: callers need one scope less.

Callers whose token does not have the scope could not use the tool before, and may now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each scope that is not needed any more."""
    after = pair.new.spec.auth.scopes if pair.new.spec.auth else []
    for scope in pair.old.spec.auth.scopes if pair.old.spec.auth else []:
        if scope not in after:
            yield ToolEdit(("auth", "scopes"), f"scope {quoted(scope)} is not needed any more", scope)


RULE: Final = ToolRule(
    code="scope-removed",
    fields=frozenset({"auth"}),
    check=check,
    advice="keep the scope, or see that the tool is safe for callers without it",
    category=Category.SAFETY,
    level=Level.ERROR,
    direction=Direction.REQUEST,
)
