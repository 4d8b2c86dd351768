"""Write into a project how calls end now, for `toolgen test --update`: in examples and recorded outcomes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolgen.language.program import Program, ProgramTool
from toolgen.language.yaml12.patch import patch_yaml
from toolgen.project import Project, read_text, replace_files
from toolgen.schema.document import JsonObject, value_key
from toolgen.testing.outcomes.outcome import holds
from toolgen.testing.outcomes.recorded import RecordedOutcomes, outcomes_path, stale_files
from toolgen.testing.outcomes.varying import without_varying
from toolgen.testing.results import ActualResult, FileUpdate, ToolReport
from toolgen.testing.tool_under_test import Neighbour, ToolUnderTest


def plan_updates(program: Program, reports: Sequence[ToolReport]) -> list[FileUpdate]:
    """Return the specs whose examples can be updated.

    A result can be written if the example's call succeeded, or ended with an error that the spec declares.
    """
    tools = {tool.spec.name: tool for tool in program.tools}
    updates = [_update(tools[report.tool], report.actual) for report in reports if report.actual]
    return [each for each in updates if each is not None]


def write_updates(project: Project, specs: Mapping[str, bytes], updates: Sequence[FileUpdate]) -> None:
    """Write the updated specs, all or none, with the line ends that they have."""
    below = f"{project.specs}/"
    files = {}
    for update in updates:
        crlf = b"\r\n" in specs[update.file.removeprefix(below)]
        files[update.file] = (update.after or "").replace("\n", "\r\n") if crlf else update.after
    replace_files(project.root, files)


def _update(tool: ProgramTool, results: Sequence[ActualResult]) -> FileUpdate | None:
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
    return FileUpdate(tool.source.file, tool.source.text, text, tool.spec.name, tuple(updated))


def _with_result(example: Mapping[str, Any], result: ActualResult) -> dict[str, Any]:
    """Return an example with another result, in the place of its old one."""
    key, value = ("output", result.content) if result.error is None else ("error", result.error)
    entries = [(key, value) if name in ("output", "error") else (name, old) for name, old in example.items()]
    return dict(entries) if key in dict(entries) else {**dict(entries), key: value}


def calls_to_repeat(tool: ToolUnderTest, report: ToolReport) -> ToolUnderTest:
    """Return a tool with the calls whose outcomes were seen, to see what is different the next time."""
    examples = tuple(each for each in tool.examples if each.name in report.outcomes)
    return replace(tool, outcomes={}, examples=examples, neighbours=report.neighbours)


def plan_outcome_updates(
    project: Project, tools: Sequence[ToolUnderTest], reports: Iterable[ToolReport], *, is_all: bool
) -> list[FileUpdate]:
    """Return the files that change. `reports` has two runs of each tool; `is_all`: there are no other tools.

    Outcomes of examples that failed are not recorded; recorded ones that still hold are left as they are.
    """
    runs: dict[str, list[ToolReport]] = {}
    for report in reports:
        runs.setdefault(report.tool, []).append(report)
    after: dict[str, str | None] = {}
    for tool in tools:
        if all(run.outcomes or run.neighbours for run in runs[tool.name]) and len(runs[tool.name]) > 1:
            recorded = _recorded(tool, runs[tool.name])
            after[outcomes_path(project, tool.name)] = recorded.as_text() if recorded.examples else None
    if is_all:
        after |= dict.fromkeys(stale_files(project, [tool.name for tool in tools]))
    before = {path: read_text(project.root, path) for path in after}
    return [FileUpdate(path, before[path], text) for path, text in after.items() if text != before[path]]


def stale_outcomes(tools: Iterable[ToolUnderTest]) -> list[str]:
    """Return what is recorded of examples that the specs do not have."""
    found = []
    for tool in tools:
        names = {example.name for example in tool.examples}
        gone = [each for each in tool.outcomes if each not in names]
        found += [f"'{each}' in {tool.outcomes_file}" for each in gone]
    return found


def _recorded(tool: ToolUnderTest, runs: Sequence[ToolReport]) -> RecordedOutcomes:
    failed = {failure.example for failure in runs[0].failures}  # those that the spec says now are gone
    examples: dict[str, JsonObject] = {}
    for example in tool.examples:
        old = tool.outcomes.get(example.name)
        first, second = (run.outcomes.get(example.name) for run in runs[:2])
        new = None if example.index in failed else _common(first, second, old)
        outcome = old if new is None else new
        if outcome is not None:
            examples[example.name] = outcome
    again = {_key(each): each.outcome for each in runs[1].neighbours}
    neighbours = {_key(each): each for each in tool.neighbours if {each.near, each.after} <= {"", *examples}}
    for now in runs[0].neighbours:  # calls that fail now are not among them, and keep what was recorded
        if now.near in examples:
            key = _key(now)
            old = neighbours[key].outcome if key in neighbours else None
            outcome = _common(now.outcome, again.get(key), old)
            if outcome is not None:
                neighbours[key] = replace(now, outcome=outcome)
    order = list(examples)
    found = sorted(neighbours.values(), key=lambda each: order.index(each.near))
    return RecordedOutcomes(_as_updated(tool, runs[0]), examples, found)


def _as_updated(tool: ToolUnderTest, run: ToolReport) -> ToolUnderTest:
    """Return a tool with its examples as they are in the spec after this update."""
    failed = {failure.example for failure in run.failures}
    now = {each.index: each for each in run.actual if each.index not in failed}
    examples = (
        replace(each, has_output=True, output=now[each.index].content) if each.index in now else each
        for each in tool.examples
    )
    return replace(tool, examples=tuple(examples))


def _key(call: Neighbour) -> object:
    return value_key([call.near, call.arguments, call.after])


def _common(first: JsonObject | None, second: JsonObject | None, old: JsonObject | None) -> JsonObject | None:
    """Return the outcome that two runs share, the old one if it still holds; None if one has not seen it."""
    if first is None or second is None:
        return None
    if old is not None and holds(old, first) and holds(old, second):
        return old
    common: JsonObject = without_varying(first, second)
    return common if isinstance(common, dict) else None
