"""Rules about the settings of a project, and about the names and types of its generated classes."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import SCHEMA_PATHS, ProjectSettings
from toolgen.changes.rule import FieldEdit, ToolPair


def coercion_default_lost(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    if old.coerce and not new.coerce:
        yield FieldEdit(("coerce",), "requests of tools that do not set `coerce` are no longer coerced")


def instructions_changed(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    if old.instructions != new.instructions:
        detail = [old.instructions, new.instructions]
        yield FieldEdit(("instructions",), "the server's instructions changed", detail)


def package_moved(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    if old.package != new.package:
        message = f"package {quoted(old.package)} was renamed to {quoted(new.package)}"
        yield FieldEdit(("package",), message)


def response_schema_default_hidden(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    if old.output_schema and not new.output_schema:
        message = "output schemas are no longer published over MCP, except where a spec says so"
        yield FieldEdit(("output_schema",), message)


def server_renamed(old: ProjectSettings, new: ProjectSettings) -> Iterator[FieldEdit]:
    if old.server_name != new.server_name:
        message = f"server {quoted(old.server_name)} was renamed to {quoted(new.server_name)}"
        yield FieldEdit(("server_name",), message)


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
            yield FieldEdit(path, change.message, [change.before, change.now], change.cause)
