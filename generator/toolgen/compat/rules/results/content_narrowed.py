"""content-narrowed: a result may no longer hold blocks that it could hold before.

Callers do not depend on it. An implementation that still returns such a block is answered
`invalid_response`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.content import described, entries, identity, not_covered
from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each entry of `content` that allowed what no entry allows now."""
    if entries(pair.old) is None and entries(pair.new) is not None:
        yield ToolEdit(("content",), "a result may hold declared content only", "any")
    for index, entry in enumerate(entries(pair.new) or ()):
        before = sum(each.min for each in entries(pair.old) or () if each.type == entry.type)
        if entry.min > before:
            message = f"a result must hold at least {entry.min} of {described(entry)}"
            yield ToolEdit(("content", index), message, [entry.type, entry.min])
    for _, entry in not_covered(pair.new, pair.old):
        message = f"a result may not hold all that it could of {described(entry)}"
        yield ToolEdit(("content",), message, identity(entry))


RULE: Final = ToolRule(
    code="content-narrowed",
    fields=frozenset({"content"}),
    check=check,
    advice="check that the implementation does not return such blocks",
    category=Category.IMPL,
    level=Level.WARNING,
    direction=Direction.RESPONSE,
)
