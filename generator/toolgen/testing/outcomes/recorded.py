"""The files of recorded outcomes: one for each tool, in the folder `outcomes` beside the fixtures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Final

from toolgen.language.names import file_stem
from toolgen.project import Project, UnableError, names_in, read_text
from toolgen.schema.document import JsonObject, same_value
from toolgen.testing.inputs.requests import is_valid
from toolgen.testing.outcomes.outcome import shortened_outcome
from toolgen.testing.project_tools import DEFAULT_FIXTURES
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

_COMMENT: Final = "written by `toolgen test --update`; __varies__ is not compared"


@dataclass(frozen=True, slots=True)
class RecordedOutcomes:
    """The recorded outcomes of one tool."""

    tool: ToolUnderTest
    examples: Mapping[str, JsonObject]  # name of the example → outcome
    neighbours: Sequence[Neighbour] = ()

    def as_text(self) -> str:
        """Return the text of the file, with one line for each neighbour."""
        parts = {"$comment": _dumps(_COMMENT), "examples": _dumps(dict(self.examples), indent=2)}
        near = {example.name: self._near(example) for example in self.tool.examples}
        lists = [f"{_dumps(name)}: [\n  {rows}\n]" for name, rows in near.items() if rows]
        if lists:
            parts["neighbours"] = "{\n" + ",\n".join(lists) + "\n}"
        return "{\n" + ",\n".join(f'"{name}": {text}' for name, text in parts.items()) + "\n}\n"

    def _near(self, example: ExpectedCall) -> str:
        found = [each for each in self.neighbours if each.near == example.name]
        return ",\n  ".join(_dumps(_entry(each, example)) for each in found)


def _entry(neighbour: Neighbour, example: ExpectedCall) -> JsonObject:
    """Return a neighbour as it is written: with the difference of its request from the example's."""
    old, new = example.arguments, neighbour.arguments
    changed = {name: new[name] for name in new if name not in old or not same_value(new[name], old[name])}
    parts = {"after": neighbour.after, "with": changed, "without": [name for name in old if name not in new]}
    return {name: part for name, part in parts.items() if part} | shortened_outcome(neighbour.outcome)


def _neighbour(near: str, entry: Mapping[str, Any], example: ExpectedCall) -> Neighbour | None:
    """Return the neighbour of an entry; None if the example no longer has what the request lacks."""
    outcome = dict(entry)
    after, changed, gone = outcome.pop("after", ""), outcome.pop("with", {}), outcome.pop("without", ())
    if not set(gone) <= example.arguments.keys():
        return None
    left = {name: value for name, value in example.arguments.items() if name not in gone}
    return Neighbour(near, {**left, **changed}, outcome, after)


def _dumps(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "backslashreplace").decode()  # half a character as JSON escapes it


def outcomes_path(project: Project, tool: str) -> str:
    """Return the path of a tool's file below the project's root."""
    fixtures = PurePosixPath(project.test_fixtures or DEFAULT_FIXTURES)
    return (fixtures.parent / "outcomes" / f"{file_stem(tool)}.json").as_posix()


def with_recorded(project: Project, tools: Sequence[ToolUnderTest]) -> list[ToolUnderTest]:
    """Return tools with the outcomes that are recorded of them. Raises UnableError for a damaged file."""
    return [_with_recorded(project, tool) for tool in tools]


def stale_files(project: Project, tools: Sequence[str]) -> list[str]:
    """Return the paths of files of tools that are not among `tools`."""
    folder = PurePosixPath(outcomes_path(project, "")).parent.as_posix()
    found = [name for name in names_in(project.root, folder) if name.endswith(".json")]
    wanted = set(map(file_stem, tools))
    return [outcomes_path(project, name[:-5]) for name in found if name[:-5] not in wanted]


def _with_recorded(project: Project, tool: ToolUnderTest) -> ToolUnderTest:
    path = outcomes_path(project, tool.name)
    text = read_text(project.root, path)
    if text is None:
        return tool
    try:
        data = json.loads(text)
        outcomes = {str(name): dict(outcome) for name, outcome in data.get("examples", {}).items()}
        examples = {each.name: each for each in tool.examples}
        neighbours = tuple(
            _neighbour(near, entry, examples[near])
            for near, entries in data.get("neighbours", {}).items()
            for entry in entries
            if near in examples and near in outcomes
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"{path} is not a file of recorded outcomes: {type(error).__name__}"
        hint = "remove it, and record them again: toolgen test --update"
        raise UnableError("unreadable-file", message, hint) from error
    valid = tuple(each for each in neighbours if each and is_valid(tool.input_schema, each.arguments))
    return replace(
        tool,
        outcomes_file=path,
        outcomes=outcomes,
        neighbours=valid,
        has_invalid_records=len(valid) < len(neighbours),
    )
