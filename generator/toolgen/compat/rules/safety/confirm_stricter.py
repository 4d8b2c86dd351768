"""confirm-stricter: callers that cannot ask the user are refused, and had two steps before.

With `two_step`, an application repeats the call with a token. With `deny`, it cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if `on_unsupported` went from two steps to refusal."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if old and new and (old.on_unsupported, new.on_unsupported) == ("two_step", "deny"):
        yield ToolEdit(("confirm", "on_unsupported"), "on_unsupported changed from two_step to deny")


RULE: Final = ToolRule(
    code="confirm-stricter",
    fields=frozenset({"confirm"}),
    check=check,
    advice="keep `on_unsupported: two_step`",
    category=Category.WIRE,
    level=Level.ERROR,
)
