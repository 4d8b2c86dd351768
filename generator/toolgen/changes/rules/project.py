"""Rules about the settings of a project, and about the names and types of its generated classes."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import SCHEMA_PATHS, ProjectSettings
from toolgen.changes.rule import FieldEdit, ToolPair


def setting_lost(old: ProjectSettings, new: ProjectSettings, *, name: str, words: str) -> Iterator[FieldEdit]:
    """Yield an edit if a setting is no longer true."""
    if getattr(old, name) and not getattr(new, name):
        yield FieldEdit((name,), words)


def setting_renamed(
    old: ProjectSettings, new: ProjectSettings, *, name: str, noun: str
) -> Iterator[FieldEdit]:
    """Yield an edit if the name that a setting gives is another one."""
    before, after = getattr(old, name), getattr(new, name)
    if before != after:
        yield FieldEdit((name,), f"{noun} {quoted(before)} was renamed to {quoted(after)}")


def instructions_changed(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    if old.instructions != new.instructions:
        detail = [old.instructions, new.instructions]
        yield FieldEdit(("instructions",), "the server's instructions changed", detail)


def target_added(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    for target in sorted(new.targets - old.targets):
        yield FieldEdit(("targets",), f"target {quoted(target)} added", target)


def target_removed(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    for target in sorted(old.targets - new.targets):
        yield FieldEdit(("targets",), f"target {quoted(target)} removed", target)


def name_changed(pair: ToolPair, *, kind: str, with_tool: bool = False) -> Iterator[FieldEdit]:
    """Yield the changed names of a kind, those that changed with the tool's own or the others."""
    for change in pair.name_changes:
        is_replaced = pair.old.name != pair.new.name and bool(change.now) and not change.shared
        if change.kind == kind and (kind != "class" or is_replaced is with_tool):
            path = (*SCHEMA_PATHS[change.schema], *change.path)
            detail = [change.before, change.now]
            yield FieldEdit(path, change.message, detail, change.cause, change.places)
