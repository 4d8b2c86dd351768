"""The baseline of `toolgen budget`: the sizes that somebody has accepted, in a committed file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.changes.measuring.units import NOUNS, UNITS
from toolgen.project.errors import UnableError
from toolgen.project.files.reading import read_text
from toolgen.project.inputs.configuration import Project
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import read_json_documents

VERSION: Final = 1
_KEY: Final = "toolgen_budget"
_AGAIN: Final = "toolgen budget --write-baseline"

Sizes = Mapping[str, Mapping[str, int]]
"""Wire name of a tool → target → size."""


def baseline_text(sizes: Sizes, unit: str) -> str:
    """Return the content of a baseline: one tool a line, so that branches that change two tools merge."""
    tools = ",\n".join(f"    {json.dumps(name)}: {json.dumps(dict(sizes[name]))}" for name in sorted(sizes))
    return f'{{\n  "{_KEY}": {VERSION},\n  "unit": {json.dumps(unit)},\n  "tools": {{\n{tools}\n  }}\n}}\n'


def read_baseline(project: Project, unit: str) -> Sizes | None:
    """Return the sizes in the project's baseline; None if there is no such file.

    Raises `UnableError` if it is of another unit or version, or no baseline, or if the configuration names a
    file that is not there.
    """
    name = project.budget.baseline
    data = _read(project)
    if data is None:
        if project.budget.is_baseline_set:
            message = f"there is no file {name}, which 'baseline' in {project.file} names"
            raise UnableError("unreadable-file", message, f"write it: {_AGAIN}")
        return None
    if data["unit"] != unit:
        message = f"{name} is in {quoted(data['unit'])}, and these sizes are in '{unit}'"
        measure = f"measure with --unit {data['unit']}, or " if data["unit"] in UNITS else ""
        raise UnableError("bad-baseline", message, f"{measure}write it again: {_AGAIN}")
    tools: Sizes = data["tools"]
    return tools


def refuse_other_file(project: Project) -> None:
    """Raise `UnableError` if there is a file in the place of the baseline that is none."""
    text = read_text(project.root, project.budget.baseline)
    if text is not None and f'"{_KEY}"' not in text:
        raise _not_a_baseline(project.budget.baseline)


def growth(old: Sizes, new: Sizes, unit: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each tool that is larger than in the baseline, and by how much for which targets."""
    for name, sizes in new.items():
        before = old.get(name, {})
        grown = {target: size for target, size in sizes.items() if size > before.get(target, 0)}
        if name not in old and grown:
            most = ", ".join(f"{target}: {size:,}" for target, size in grown.items())
            yield name, f"{quoted(name)} is new: {NOUNS[unit]} for {most}"
        elif grown:
            changes = (
                f"{target}: {before.get(target, 0):,} → {size:,} (+{size - before.get(target, 0):,})"
                for target, size in grown.items()
            )
            yield name, f"{quoted(name)} grew: {NOUNS[unit]} for {', '.join(changes)}"


def _read(project: Project) -> Mapping[str, Any] | None:
    name = project.budget.baseline
    text = read_text(project.root, name)
    if text is None:
        return None
    try:
        data = read_json_documents(text.encode(), name)[0].value
    except SourceError as error:
        hint = f"restore it from version control, or remove it and write it again: {_AGAIN}"
        raise UnableError("bad-baseline", error.message, hint) from error
    if not isinstance(data, dict) or _KEY not in data:
        raise _not_a_baseline(name)
    if data[_KEY] != VERSION or isinstance(data[_KEY], bool):
        shown = quoted(json.dumps(data[_KEY]), 20)
        message = f"{name} has the format {shown}, and this toolgen reads {VERSION}"
        hint = f"install the toolgen that wrote it, or remove it and write it again: {_AGAIN}"
        raise UnableError("bad-baseline", message, hint)
    if not isinstance(data.get("unit"), str) or not _are_sizes(data.get("tools")):
        message = f"{name} must have `unit`, a text, and `tools`, the sizes of each by target"
        raise UnableError("bad-baseline", message, f"remove it and write it again: {_AGAIN}")
    return data


def _are_sizes(tools: Any) -> bool:
    return isinstance(tools, dict) and all(
        isinstance(sizes, dict) and all(type(size) is int for size in sizes.values())
        for sizes in tools.values()
    )


def _not_a_baseline(name: str) -> UnableError:
    message = f"{name} is not a baseline that `{_AGAIN}` wrote"
    hint = "name another file: `baseline` in the section [budget] of the configuration"
    return UnableError("bad-baseline", message, hint)
