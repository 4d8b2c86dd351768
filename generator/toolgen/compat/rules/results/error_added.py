"""error-added: the tool may answer with another error.

A new code is for callers of the tool as a new value in the `enum` of a response: they may receive something
that they do not know. Both are errors. If your callers treat a code that they do not know as any other
failure, set the level of this rule to `warning`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each new code."""
    known = {error.code for error in pair.old.spec.errors}
    for index, error in enumerate(pair.new.spec.errors):
        if error.code not in known:
            yield ToolEdit(("errors", index), f"error {quoted(error.code)} added", error.code)


RULE: Final = ToolRule(
    code="error-added",
    fields=frozenset({"errors"}),
    check=check,
    advice="answer with a code that callers know, if one fits",
    category=Category.WIRE,
    level=Level.ERROR,
    direction=Direction.RESPONSE,
)
