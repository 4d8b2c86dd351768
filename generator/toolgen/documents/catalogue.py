"""The value of a page about all tools: plain JSON data, made from compiled specs without files or a clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from toolgen.changes.finding import Finding
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.request_limits import target_sizes
from toolgen.compile.publishing.tool_page import shared_id, tool_page
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program
from toolgen.language.target import Target
from toolgen.schema.document import JsonObject

FORMAT: Final = 1
"""Raised when a key of the document changes its meaning."""


@dataclass(frozen=True, slots=True)
class ChangesSince:
    """What changed since another version of the specs."""

    against: str
    findings: tuple[Finding, ...]


def tool_entries(
    program: Program, targets: Sequence[Target], settings: PackageSettings
) -> dict[str, JsonObject]:
    """Return what the page says of each tool, by its name, without what changed."""
    package = lower(program, settings)
    return {
        lowered.wire_name: tool_page(tool, lowered, targets)
        for tool, lowered in zip(program.tools, package.tools, strict=True)
    }


def catalogue(
    program: Program,
    entries: Mapping[str, JsonObject],
    targets: Sequence[Target],
    settings: PackageSettings,
    changes: ChangesSince | None = None,
) -> JsonObject:
    """Return the document that the page shows, from the entries of the tools of a program."""
    publishing = [target for target in targets if target.tool_name]
    findings = () if changes is None else changes.findings
    tools = [_with_changes(entries[tool.spec.name], findings) for tool in program.tools]
    sizes = {each["name"]: {name: size + 1 for name, size in _sizes(each)} for each in tools}
    return {
        "format": FORMAT,
        "name": settings.server_name or settings.package,
        "version": settings.server_version,
        "instructions": settings.server_instructions,
        "package": settings.package,
        "providers": [
            {"name": each.name, "label": each.definition.label or each.name} for each in publishing
        ],
        "sizes": {each.target: each.bytes for each in target_sizes(sizes, publishing)},
        "tools": tools,
        "shared": _shared_schemas(program),
        "against": None if changes is None else changes.against,
        "changes": [_change(each) for each in findings],
    }


def _with_changes(entry: JsonObject, findings: Iterable[Finding]) -> JsonObject:
    changes = [index for index, each in enumerate(findings) if entry["name"] in each.all_tools]
    return {**entry, "changes": changes} if changes else entry


def _sizes(entry: JsonObject) -> Iterable[tuple[str, int]]:
    return ((name, each["bytes"]) for name, each in entry["published"].items())


def _change(finding: Finding) -> JsonObject:
    witness: Any = None if finding.witness is None else asdict(finding.witness)
    return {
        "rule": finding.code,
        "category": finding.category.value,
        "level": finding.level.value,
        "message": finding.message,
        "hint": finding.hint,
        "pointer": finding.pointer,
        "tools": list(finding.all_tools),
        "accepted": finding.accepted,
        "witness": witness,
    }


def _shared_schemas(program: Program) -> list[JsonObject]:
    """Return each file of shared schemas that a tool uses, with its schemas and the tools that use them."""
    users: dict[str, set[str]] = {}
    for tool in program.tools:
        for origins in tool.origins.values():
            for origin in origins.values():
                users.setdefault(shared_id(origin.path, origin.name), set()).add(tool.spec.name)
    found = []
    for path, file in sorted(program.shared.items()):
        names = {key: shared_id(each.path, each.name) for key, each in file.origins.items()}
        used = [
            {"id": names[key], "name": origin.name, "key": key, "tools": sorted(users[names[key]])}
            for key, origin in file.origins.items()
            if origin.path == path and names[key] in users
        ]
        if used:
            defs = file.document.schema["$defs"]
            found.append({"file": file.source.file, "schemas": used, "$defs": defs, "shared": names})
    return found
