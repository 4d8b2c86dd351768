"""The value of a page about all tools: plain JSON data, made from compiled specs without files or a clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any, Final

from toolgen.changes.comparing.sides import Judgement, Threshold, judge
from toolgen.changes.finding import Category, Finding
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.request_limits import total_sizes
from toolgen.compile.publishing.tool_page import shared_id, tool_page
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program
from toolgen.language.targets.definition import Target
from toolgen.project import load_targets
from toolgen.project.building.project_build import Inputs, program_of, read_inputs
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
    sizes = {
        tool["name"]: {name: each["bytes"] for name, each in tool["published"].items()} for tool in tools
    }
    return {
        "format": FORMAT,
        "name": settings.server_name or settings.package,
        "version": settings.server_version,
        "instructions": settings.server_instructions,
        "package": settings.package,
        "providers": [
            {"name": each.name, "label": each.definition.label or each.name} for each in publishing
        ],
        "sizes": total_sizes(sizes, publishing),
        "tools": tools,
        "shared": _shared_schemas(program),
        "against": None if changes is None else changes.against,
        "changes": [_change(each) for each in findings],
    }


def _with_changes(entry: JsonObject, findings: Iterable[Finding]) -> JsonObject:
    changes = [index for index, each in enumerate(findings) if entry["name"] in each.all_tools]
    return {**entry, "changes": changes} if changes else entry


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


@dataclass(slots=True)
class ProjectCatalogue:
    """The catalogue of the project at or above `start`. Runs no code of the project."""

    start: str
    judgement: Judgement | None = None  # what changed since another version
    against: str = ""  # that version
    program: Program = field(default_factory=lambda: Program(()))  # of the specs that were read last
    _inputs: Inputs | None = None
    _entries: dict[str, JsonObject] = field(default_factory=dict)

    def read(self) -> JsonObject:
        """Read the project if it has changed since the last call; return the document.

        Raises `SpecErrors` or `UnableError`; then the next call reads the project again.
        """
        inputs = _as_if_named(read_inputs(self.start))
        if inputs != self._inputs:
            self.program = program_of(inputs)
            self._entries = tool_entries(self.program, inputs.targets, inputs.settings)
            self._inputs = inputs
        return self.document()

    def document(self) -> JsonObject:
        """Return the document of what was read last."""
        assert self._inputs is not None
        changes = None if self.judgement is None else ChangesSince(self.against, self.judgement.findings)
        return catalogue(self.program, self._entries, self._inputs.targets, self._inputs.settings, changes)

    def compare(self, against: str, today: date) -> Judgement:
        """Compare the project with another version, which `document` shows from now on.

        `against` is as for `breaking`; `today` decides about sunsets. Raises `SpecErrors` and `UnableError`.
        """
        found = judge(against, self.start, Threshold(frozenset(Category)), today=today)
        self.judgement, self.against = found, against
        return found


def _as_if_named(inputs: Inputs) -> Inputs:
    """Return the inputs as if the configuration named its targets: every loss of a dialect is reported."""
    names = tuple(each.name for each in inputs.targets if each.tool_name)
    if not names:
        return inputs
    project = replace(inputs.project, targets=names)
    return Inputs(project, inputs.specs, load_targets(project))
