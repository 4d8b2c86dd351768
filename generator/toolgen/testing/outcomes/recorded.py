"""The files of recorded outcomes: one for each tool, in the folder `outcomes` beside the fixtures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Final

from toolgen.language.names import file_stem
from toolgen.project import Project, UnableError, names_in, read_text
from toolgen.schema.document import JsonObject
from toolgen.testing.inputs.requests import is_valid
from toolgen.testing.outcomes.compact import compacted, expanded
from toolgen.testing.project_tools import DEFAULT_FIXTURES
from toolgen.testing.tool_under_test import Neighbour, ToolUnderTest

_WIDTH: Final = 110
_joined: Final = ",\n".join
_OUTCOME: Final = 6  # indentation below which each entry has a line of its own
_COMMENT: Final = "written by `toolgen test --update`; __varies__ is not compared"
_VALUES: Final = re.compile(
    r'(?:[^",]|"(?:[^"\\]|\\.)*"|,(?! ))+(?:, )?'
)  # parts of a line, each with its comma


@dataclass(frozen=True, slots=True)
class RecordedOutcomes:
    """The recorded outcomes of one tool."""

    tool: ToolUnderTest
    examples: Mapping[str, JsonObject]  # name of the example → outcome
    neighbours: Sequence[Neighbour] = ()

    def as_text(self) -> str:
        """Return the text of the file."""
        parts = [f'  "$comment": {_dumps(_COMMENT)}', f'  "examples": {_layout(dict(self.examples), 2, 14)}']
        rows = []
        for example in self.tool.examples:
            near = [each for each in self.neighbours if each.near == example.name]
            entries = [compacted(each, example, self.examples[example.name]) for each in near]
            lines = [f"      {_wrapped(_dumps(entry))}" for entry in entries]
            if lines:
                rows.append(f"    {_dumps(example.name)}: [\n{_joined(lines)}\n    ]")
        if rows:
            parts.append(f'  "neighbours": {{\n{_joined(rows)}\n  }}')
        return f"{{\n{_joined(parts)}\n}}\n"


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
            expanded(near, entry, examples[near], outcomes[near])
            for near, entries in data.get("neighbours", {}).items()
            for entry in entries
            if near in examples and near in outcomes
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"{path} is not a file of recorded outcomes: {type(error).__name__}"
        hint = "remove it, and record them again: toolgen test --update"
        raise UnableError("unreadable-file", message, hint) from error
    valid = tuple(each for each in neighbours if is_valid(tool.input_schema, each.arguments))
    return replace(
        tool,
        outcomes_file=path,
        outcomes=outcomes,
        neighbours=valid,
        has_invalid_records=len(valid) < len(neighbours),
    )


def _dumps(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _layout(value: Any, indent: int, column: int) -> str:
    """Return JSON in which everything that fits is on one line."""
    line = _dumps(value)
    if column + len(line) <= _WIDTH or not isinstance(value, dict | list) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        heads = [f"{_dumps(key)}: " for key in value]
        rows = [
            head + _layout(each, indent + 2, indent + 2 + len(head))
            for head, each in zip(heads, value.values(), strict=True)
        ]
        opening, closing = "{}"
    else:
        rows = [_layout(each, indent + 2, indent + 2) for each in value]
        opening, closing = "[]"
    body = ",\n".join(inner + row for row in (rows if indent < _OUTCOME else _filled(rows, indent + 2)))
    return f"{opening}\n{body}\n{' ' * indent}{closing}"


def _wrapped(line: str) -> str:
    """Return one line of JSON as several ones, broken between its values."""
    lines = [""]
    for part in _VALUES.findall(line):
        if lines[-1] and len(lines[-1]) + len(part) > _WIDTH - 8:
            lines.append("")
        lines[-1] += part
    return "\n        ".join(each.rstrip() for each in lines)


def _filled(rows: Sequence[str], indent: int) -> list[str]:
    """Join rows of one line each, as many as there is room for."""
    filled: list[str] = []
    for row in rows:
        last = filled[-1] if filled else "\n"
        if "\n" not in last + row and indent + len(last) + len(row) + 3 <= _WIDTH:
            filled[-1] = f"{last}, {row}"
        else:
            filled.append(row)
    return filled
