"""call-limit-raised: a call may take more time, or more calls run at once.

`timeout`, `concurrency` or `max_result_bytes` was removed or raised. Callers may wait longer, and get
larger responses.
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
    """Yield an edit for each limit that is higher than before."""
    for field in FIELDS:
        old, new = getattr(pair.old.spec, field), getattr(pair.new.spec, field)
        if old is not None and (new is None or new > old):
            what = f"removed; it was {old:,}" if new is None else f"raised from {old:,} to {new:,}"
            yield ToolEdit((field,), f"{quoted(field)} {what}", new)


RULE: Final = ToolRule(
    code="call-limit-raised",
    fields=frozenset({"timeout", "concurrency", "max_result_bytes"}),
    check=check,
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
    direction=Direction.RESPONSE,
)
