"""details-changed: something changed that decides neither what is sent nor what models read.

Tags, icons, `meta`, examples, options of targets, when the tool is loaded, keys that begin with `x-`,
further annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolgen.compat.content import entries
from toolgen.compat.contract import Contract
from toolgen.compat.finding import Category, Level
from toolgen.compat.guards import HINTS_OF_WRITING_TOOLS, is_hint_read
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec
from toolgen.suggestions import quoted


def _other_annotations(spec: Spec, ignored: Iterable[str]) -> dict[str, Any]:
    """Return the annotations that MCP does not define, and the hints that clients of both versions ignore."""
    if spec.annotations is None:
        return {}
    hints = {name: value for name in ignored if (value := getattr(spec.annotations, name)) is not None}
    return {**(spec.annotations.model_extra or {}), **hints}


def _audiences(contract: Contract) -> list[Any]:
    return [[each.type, sorted(each.audience), each.priority] for each in entries(contract) or ()]


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each field that changed."""
    for field in ("tags", "icons", "meta", "examples", "targets", "load", "extensions"):
        if pair.knows(field) and getattr(pair.old.spec, field) != getattr(pair.new.spec, field):
            yield ToolEdit((field,), f"{quoted(field)} changed")
    if pair.knows("content") and _audiences(pair.old) != _audiences(pair.new):
        yield ToolEdit(("content",), "'audience' or 'priority' of 'content' changed")
    specs = (pair.old.spec, pair.new.spec)
    ignored = [name for name in HINTS_OF_WRITING_TOOLS if not any(is_hint_read(spec, name) for spec in specs)]
    old, new = (_other_annotations(spec, ignored) for spec in specs)
    if old != new:
        yield ToolEdit(("annotations",), "further annotations changed")


RULE: Final = ToolRule(
    code="details-changed",
    fields=frozenset(
        {"content", "tags", "icons", "meta", "examples", "targets", "load", "extensions", "annotations"}
    ),
    check=check,
    advice="",
    category=Category.AGENT,
    level=Level.INFO,
)
