"""call-limit-lowered: a call may take less time, or fewer calls run at once.

`timeout`, `concurrency` or `max_result_bytes` was set or lowered. Calls that took longer end in
`timeout`, more calls are answered `overloaded`, larger responses are paged or refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted

FIELDS: Final = ("timeout", "concurrency", "max_result_bytes")


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each limit that is lower than before."""
    for field in FIELDS:
        old, new = getattr(pair.old.spec, field), getattr(pair.new.spec, field)
        if new is not None and (old is None or new < old):
            what = f"set to {new:,}" if old is None else f"lowered from {old:,} to {new:,}"
            yield ToolEdit((field,), f"{quoted(field)} {what}", new)


RULE: Final = ToolRule(
    code="call-limit-lowered",
    fields=frozenset({"timeout", "concurrency", "max_result_bytes"}),
    check=check,
    advice="measure calls before you lower a limit",
    category=Category.WIRE,
    level=Level.WARNING,
    direction=Direction.REQUEST,
)
