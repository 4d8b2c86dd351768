"""The files of a project that say how calls end: examples of specs, and recorded outcomes.

Outcomes are in one file for each tool, in the folder `outcomes` beside the fixtures.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

from toolgen.language.identifiers import file_stem
from toolgen.language.program import Program, ProgramTool
from toolgen.language.yaml12.patch import patch_yaml
from toolgen.project import Project, UnableError, read_text, replace_files
from toolgen.project.files.reading import names_in
from toolgen.schema.document import JsonObject, same_value, value_key
from toolgen.testing.outcomes import is_same_outcome, without_varying
from toolgen.testing.project_tools import DEFAULT_FIXTURES
from toolgen.testing.requests import is_valid
from toolgen.testing.results import ActualResult, FileUpdate, ToolReport
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

_COMMENT: Final = "written by `toolgen test --update`; __varies__ is not compared"


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


# Recorded outcomes


def with_recorded(project: Project, tool: ToolUnderTest) -> ToolUnderTest:
    """Return a tool with the outcomes that are recorded of it. Raises UnableError for a damaged file."""
    path = outcomes_path(project, tool.name)
    text = read_text(project.root, path)
    if text is None:
        return tool
    examples = {each.name: each for each in tool.examples}
    try:
        data = json.loads(text)
        outcomes = {str(name): dict(outcome) for name, outcome in data.get("examples", {}).items()}
        neighbours = [
            _neighbour(examples[near], entry)
            for near, entries in data.get("neighbours", {}).items()
            for entry in entries
            if near in examples
        ]
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        message = f"{path} is not a file of recorded outcomes: {type(error).__name__}"
        hint = "remove it, and record them again: toolgen test --update"
        raise UnableError("unreadable-file", message, hint) from error
    valid = [each for each in neighbours if is_valid(tool.input_schema, each.arguments)]
    return replace(tool, outcomes_file=path, outcomes=outcomes, neighbours=tuple(valid))


def _neighbour(near: ExpectedCall, entry: Mapping[str, Any]) -> Neighbour:
    """Return the call of an entry, which has the difference of its request from the example's."""
    outcome = dict(entry)
    changed, gone = outcome.pop("with", {}), outcome.pop("without", ())
    left = {name: value for name, value in near.arguments.items() if name not in gone}
    return Neighbour(near, {**left, **changed}, outcome)


def _entry(call: Neighbour, outcome: JsonObject) -> JsonObject:
    """Return a neighbour as it is written."""
    old, new = call.near.arguments, call.arguments
    changed = {name: new[name] for name in new if name not in old or not same_value(new[name], old[name])}
    parts = {"with": changed, "without": [name for name in old if name not in new]}
    return {name: part for name, part in parts.items() if part} | outcome


def outcomes_path(project: Project, tool: str) -> str:
    """Return the path of a tool's file below the project's root."""
    fixtures = PurePosixPath(project.test_fixtures or DEFAULT_FIXTURES)
    return (fixtures.parent / "outcomes" / f"{file_stem(tool)}.json").as_posix()


def plan_outcome_updates(
    project: Project,
    tools: Sequence[ToolUnderTest],
    reports: Sequence[ToolReport],
    again: Mapping[str, ToolReport],
    *,
    is_all: bool,
) -> list[FileUpdate]:
    """Return the files that change.

    Outcomes of examples that failed are not recorded; recorded ones that still hold are left as they are.

    Args:
        project: whose files they are.
        tools: those that were tested.
        reports: a report for each of them.
        again: a second report of each tool whose outcomes were seen, which shows what varies.
        is_all: there are no other tools.
    """
    after: dict[str, str | None] = {}
    for tool, report in zip(tools, reports, strict=True):
        if report.outcomes and tool.name in again and again[tool.name].outcomes:
            after[outcomes_path(project, tool.name)] = _recorded(tool, report, again[tool.name])
    if is_all:
        after |= dict.fromkeys(_stale_files(project, [tool.name for tool in tools]))
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


def _stale_files(project: Project, tools: Sequence[str]) -> list[str]:
    """Return the paths of files of tools that are not among `tools`."""
    folder = PurePosixPath(outcomes_path(project, "")).parent.as_posix()
    wanted = {f"{file_stem(each)}.json" for each in tools}
    found = [name for name in names_in(project.root, folder) if name.endswith(".json")]
    return [f"{folder}/{name}" for name in found if name not in wanted]


def _recorded(tool: ToolUnderTest, first: ToolReport, second: ToolReport) -> str | None:
    """Return the text of a tool's file; None if there is nothing to record."""
    failed = {failure.example for failure in first.failures}  # those that the spec says now are gone
    examples: dict[str, JsonObject] = {}
    for example in tool.examples:
        name = example.name
        old, one, other = (each.get(name) for each in (tool.outcomes, first.outcomes, second.outcomes))
        outcome = old if example.index in failed else _common(old, one, other)
        if outcome is not None:
            examples[name] = outcome
    return _text(examples, _neighbours(tool, first, second, examples)) if examples else None


def _neighbours(
    tool: ToolUnderTest, first: ToolReport, second: ToolReport, examples: Iterable[str]
) -> dict[str, list[JsonObject]]:
    """Return the entries of neighbours, by the names of the examples."""
    before, now, again = (
        {_key(each): each for each in calls}
        for calls in (tool.neighbours, first.neighbours, second.neighbours)
    )
    near: dict[str, list[JsonObject]] = {name: [] for name in examples}
    for key, call in (before | now).items():
        old, one, other = (calls[key].outcome if key in calls else None for calls in (before, now, again))
        outcome = _common(old, one, other)
        if outcome is not None and call.near.name in near:
            near[call.near.name].append(_entry(call, outcome))
    return {name: entries for name, entries in near.items() if entries}


def _text(examples: JsonObject, neighbours: Mapping[str, Sequence[JsonObject]]) -> str:
    """Return the text of a file, with one line for each neighbour."""
    parts = {"$comment": _dumps(_COMMENT), "examples": _dumps(examples, indent=2)}
    rows = {name: ",\n    ".join(map(_dumps, entries)) for name, entries in neighbours.items()}
    lists = [f"  {_dumps(name)}: [\n    {text}\n  ]" for name, text in rows.items()]
    if lists:
        parts["neighbours"] = "{\n" + ",\n".join(lists) + "\n}"
    inner = ",\n".join(f'"{name}": {part}' for name, part in parts.items())
    return "{\n  " + inner.replace("\n", "\n  ") + "\n}\n"


def _key(call: Neighbour) -> object:
    return value_key([call.near.name, call.arguments])


def _common(old: JsonObject | None, first: JsonObject | None, second: JsonObject | None) -> JsonObject | None:
    """Return the outcome that two runs share: the old one if it still holds or if one has not seen it."""
    if first is None or second is None:
        return old
    if old is not None and is_same_outcome(old, first) and is_same_outcome(old, second):
        return old
    common = without_varying(first, second)
    return common if isinstance(common, dict) else None


def _dumps(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "backslashreplace").decode()  # half a character as JSON escapes it
