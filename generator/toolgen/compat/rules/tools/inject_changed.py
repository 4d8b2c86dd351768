"""inject-changed: what the application gives to the implementation changed.

Injected values are keyword arguments of `execute`, and keys of the toolkit's context. An implementation
or an application that was written for the old ones fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each injected value that is new, gone, or of another type."""
    old = {each.name: each.type for each in pair.old.spec.inject}
    new = {each.name: each.type for each in pair.new.spec.inject}
    for name in sorted({*old, *new}):
        if name not in new:
            yield ToolEdit(("inject",), f"injected value {quoted(name)} removed", name)
        elif name not in old:
            yield ToolEdit(("inject",), f"injected value {quoted(name)} added", name)
        elif old[name] != new[name]:
            message = f"injected value {quoted(name)} changed from {old[name]} to {new[name]}"
            yield ToolEdit(("inject",), message, name)


RULE: Final = ToolRule(
    code="inject-changed",
    fields=frozenset({"inject"}),
    check=check,
    advice="change the implementation and the toolkit's context together with the spec",
    category=Category.IMPL,
    level=Level.ERROR,
)
