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
    """Yield an edit for each injected value that is new, gone, of another type, or optional now or before."""
    old = {each.name: each for each in pair.old.spec.inject}
    new = {each.name: each for each in pair.new.spec.inject}
    for name in sorted({*old, *new}):
        if name not in new:
            yield ToolEdit(("inject",), f"injected value {quoted(name)} removed", name)
        elif name not in old:
            yield ToolEdit(("inject",), f"injected value {quoted(name)} added", name)
        elif old[name].type != new[name].type:
            message = f"injected value {quoted(name)} changed from {old[name].type} to {new[name].type}"
            yield ToolEdit(("inject",), message, name)
        elif old[name].optional != new[name].optional:
            became = "optional: it may be None" if new[name].optional else "required"
            yield ToolEdit(("inject",), f"injected value {quoted(name)} became {became}", name)


RULE: Final = ToolRule(
    code="inject-changed",
    fields=frozenset({"inject"}),
    check=check,
    advice="change the implementation and the toolkit's context together with the spec",
    category=Category.IMPL,
    level=Level.ERROR,
)
