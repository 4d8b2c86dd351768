"""details-changed: something changed that decides neither what is sent nor what models read.

Tags, icons, `meta`, examples, options of targets, when the tool is loaded, keys that begin with `x-`,
further annotations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec
from toolgen.suggestions import quoted


def _other_annotations(spec: Spec) -> dict[str, Any]:
    """Return the annotations that MCP does not define."""
    return dict(spec.annotations.model_extra or {}) if spec.annotations else {}


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each field that changed."""
    for field in ("tags", "icons", "meta", "examples", "targets", "load", "extensions"):
        if pair.knows(field) and getattr(pair.old.spec, field) != getattr(pair.new.spec, field):
            yield ToolEdit((field,), f"{quoted(field)} changed")
    if _other_annotations(pair.old.spec) != _other_annotations(pair.new.spec):
        yield ToolEdit(("annotations",), "further annotations changed")


RULE: Final = ToolRule(
    code="details-changed",
    fields=frozenset({"tags", "icons", "meta", "examples", "targets", "load", "extensions", "annotations"}),
    check=check,
    advice="",
    category=Category.AGENT,
    level=Level.INFO,
)
