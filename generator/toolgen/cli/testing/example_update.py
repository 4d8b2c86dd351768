"""Write into the examples of specs how their calls end now: `toolgen test --update`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.cli.line_diff import unified_diff
from toolgen.cli.output import count
from toolgen.data.program import Program, ProgramTool
from toolgen.project import Project, replace_files
from toolgen.testing.results import ActualResult, ToolReport
from toolgen.yaml12.patch import patch_yaml


@dataclass(frozen=True, slots=True)
class SpecUpdate:
    """A spec with other results of examples."""

    tool: str
    file: str
    before: str
    after: str
    updated: tuple[int, ...]  # indices of the examples

    @property
    def summary(self) -> str:
        """Return what was written, in one line."""
        return f"wrote {self.file}: {count(len(self.updated), 'example')}"

    def diff(self) -> str:
        """Return the change as a unified diff."""
        lines = unified_diff(
            self.before.splitlines(), self.after.splitlines(), self.file, self.file, lineterm="", n=2
        )
        return "\n".join(lines)


def plan_updates(program: Program, reports: Sequence[ToolReport]) -> list[SpecUpdate]:
    """Return the specs whose examples can be updated.

    A result can be written if the example's call succeeded, or ended with an error that the spec declares.
    """
    tools = {tool.spec.name: tool for tool in program.tools}
    updates = [_update(tools[report.tool], report.actual) for report in reports if report.actual]
    return [each for each in updates if each is not None]


def write_updates(project: Project, specs: Mapping[str, bytes], updates: Sequence[SpecUpdate]) -> None:
    """Write the updated specs, all or none, with the line ends that they have."""
    below = f"{project.specs}/"
    files = {}
    for update in updates:
        crlf = b"\r\n" in specs[update.file.removeprefix(below)]
        files[update.file] = update.after.replace("\n", "\r\n") if crlf else update.after
    replace_files(project.root, files)


def _update(tool: ProgramTool, results: Sequence[ActualResult]) -> SpecUpdate | None:
    declared = {error.code for error in tool.spec.errors}
    data: Any = copy.deepcopy(tool.source.data)
    updated = []
    for result in results:
        if result.error is None or result.error in declared:
            example = data["examples"][result.index]
            data["examples"][result.index] = _with_result(example, result)
            updated.append(result.index)
    if not updated:
        return None
    text = patch_yaml(tool.source.text, data)
    return SpecUpdate(tool.spec.name, tool.source.file, tool.source.text, text, tuple(updated))


def _with_result(example: Mapping[str, Any], result: ActualResult) -> dict[str, Any]:
    """Return an example with another result, in the place of its old one."""
    key, value = ("output", result.content) if result.error is None else ("error", result.error)
    entries = [(key, value) if name in ("output", "error") else (name, old) for name, old in example.items()]
    return dict(entries) if key in dict(entries) else {**dict(entries), key: value}
