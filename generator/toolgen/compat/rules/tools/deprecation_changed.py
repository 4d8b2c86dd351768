"""deprecation-changed: a tool is now deprecated, or no longer is.

A deprecated tool works as before. Its callers have time to use another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the deprecation was added, removed or changed."""
    old, new = pair.old.spec.deprecated, pair.new.spec.deprecated
    if old == new:
        return
    if new is None:
        yield ToolEdit(("deprecated",), "no longer deprecated", "removed")
    else:
        what = "deprecated" if old is None else "deprecation changed"
        instead = f"; use {quoted(new.replaced_by)} instead" if new.replaced_by else ""
        until = f"; removed after {new.sunset}" if new.sunset else ""
        yield ToolEdit(("deprecated",), f"{what}{instead}{until}", new.model_dump(mode="json"))


RULE: Final = ToolRule(
    code="deprecation-changed",
    fields=frozenset({"deprecated"}),
    check=check,
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
