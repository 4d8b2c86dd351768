"""preview-required: the implementation must offer a preview.

With `confirm.preview: true`, the runtime calls `preview` of the implementation before it asks the user.
Implementations without it are not complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if a preview is asked for that was not."""
    old, new = pair.old.spec.confirm, pair.new.spec.confirm
    if new is not None and new.preview and not (old is not None and old.preview):
        yield ToolEdit(("confirm", "preview"), "the implementation must offer preview()")


RULE: Final = ToolRule(
    code="preview-required",
    fields=frozenset({"confirm"}),
    check=check,
    advice="write `preview` together with the change of the spec",
    category=Category.IMPL,
    level=Level.WARNING,
)
