"""Rules about what models and people are told of a tool, and about what neither reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import HINTS_OF_WRITING_TOOLS, Contract
from toolgen.changes.rule import FieldEdit, ToolPair


def description_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    for field in ("description", "use_when", "avoid_when", "returns"):
        if pair.knows(field) and getattr(pair.old.spec, field) != getattr(pair.new.spec, field):
            yield FieldEdit((field,), f"{quoted(field)} changed", getattr(pair.new.spec, field))
    old, new = ([each.description for each in side.content_entries or ()] for side in (pair.old, pair.new))
    if pair.knows("content") and old != new and len(old) == len(new):
        yield FieldEdit(("content",), "'description' of 'content' changed", new)


def title_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    for path in ("title",), ("annotations", "title"):
        old, new = _title(pair.old, path), _title(pair.new, path)
        if pair.knows(path[0]) and new != old:
            yield FieldEdit(path, f"title changed to {quoted(new or '')}", new)
            return


def _title(contract: Contract, path: tuple[str, ...]) -> str | None:
    """Return a title; in MCP, `annotations.title` replaces `title`."""
    annotations = contract.spec.annotations if len(path) > 1 else None
    return (annotations.title if annotations else None) or contract.spec.title


def details_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    for field in ("tags", "icons", "meta", "examples", "targets", "load", "extensions"):
        if pair.knows(field) and getattr(pair.old.spec, field) != getattr(pair.new.spec, field):
            yield FieldEdit((field,), f"{quoted(field)} changed")
    if pair.knows("content") and _audiences(pair.old) != _audiences(pair.new):
        yield FieldEdit(("content",), "'audience' or 'priority' of 'content' changed")
    if _other_annotations(pair.old, pair) != _other_annotations(pair.new, pair):
        yield FieldEdit(("annotations",), "further annotations changed")


def _audiences(contract: Contract) -> list[Any]:
    return [[each.type, sorted(each.audience), each.priority] for each in contract.content_entries or ()]


def _other_annotations(contract: Contract, pair: ToolPair) -> dict[str, Any]:
    """Return the annotations that MCP does not define, and the hints that clients of both versions ignore."""
    annotations = contract.spec.annotations
    if annotations is None:
        return {}
    sides = (pair.old, pair.new)
    ignored = [name for name in HINTS_OF_WRITING_TOOLS if not any(side.is_hint_read(name) for side in sides)]
    hints = {name: value for name in ignored if (value := getattr(annotations, name)) is not None}
    return {**(annotations.model_extra or {}), **hints}
