"""coercion-lost: strings that contain JSON are not decoded any more.

With `coerce`, a client that sends "5" for 5 is understood. Without it, its requests are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if coercion was turned off."""
    if pair.old.spec.coerce is not False and pair.new.spec.coerce is False:
        yield ToolEdit(("coerce",), "requests are not coerced any more")


RULE: Final = ToolRule(
    code="coercion-lost",
    fields=frozenset({"coerce"}),
    check=check,
    advice="keep `coerce`",
    category=Category.WIRE,
    level=Level.WARNING,
    direction=Direction.REQUEST,
)
