"""confirm-added: the user is asked before the tool acts.

Callers that cannot ask the user are answered `confirmation_required`, unless `on_unsupported` is `allow`.
A scheduled job that calls the tool fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if callers that cannot ask the user succeeded before, and do not now."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if new is None or new.on_unsupported == "allow" or (old is not None and old.on_unsupported != "allow"):
        return
    path = ("confirm",) if old is None else ("confirm", "on_unsupported")
    what = "confirmation added" if old is None else "confirmation is now enforced"
    yield ToolEdit(path, f"{what}: on_unsupported is {new.on_unsupported}", new.on_unsupported)


RULE: Final = ToolRule(
    code="confirm-added",
    fields=frozenset({"confirm"}),
    check=check,
    advice="use `on_unsupported: two_step` or `allow` until callers can ask; or offer a new tool",
    category=Category.WIRE,
    level=Level.ERROR,
)
