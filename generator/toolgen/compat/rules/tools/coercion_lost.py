"""coercion-lost: strings that contain JSON are no longer decoded.

With `coerce`, a client that sends "5" for 5 is understood. Without it, its requests are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.compat.settings import Settings


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if coercion was turned off, in the spec or by what the configuration says without it."""
    old, new = pair.old.spec.coerce, pair.new.spec.coerce
    if old is None and new is None:
        return  # coercion-default-lost is about these
    if _is_coerced(old, pair.old_settings) and not _is_coerced(new, pair.new_settings):
        why = ": the configuration has `coerce = false`" if new is None else ""
        yield ToolEdit(("coerce",), f"requests are no longer coerced{why}")


def _is_coerced(written: bool | None, settings: Settings | None) -> bool:
    if written is not None:
        return written
    return settings is None or settings.coerce


RULE: Final = ToolRule(
    code="coercion-lost",
    fields=frozenset({"coerce"}),
    check=check,
    advice="keep `coerce: true` in the spec",
    category=Category.WIRE,
    level=Level.WARNING,
    direction=Direction.REQUEST,
)
