"""title-changed: the tool has another name for people.

Users may not recognise the tool that they approved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec
from toolgen.suggestions import quoted


def _title(spec: Spec, path: tuple[str, ...]) -> str | None:
    return (spec.annotations.title if spec.annotations and len(path) > 1 else None) or spec.title


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if the title, which `annotations.title` replaces in MCP, changed."""
    for path in ("title",), ("annotations", "title"):
        if pair.knows(path[0]) and (new := _title(pair.new.spec, path)) != _title(pair.old.spec, path):
            yield ToolEdit(path, f"title changed to {quoted(new or '')}", new)
            return


RULE: Final = ToolRule(
    code="title-changed",
    fields=frozenset({"title", "annotations"}),
    check=check,
    advice="",
    category=Category.AGENT,
    level=Level.INFO,
)
