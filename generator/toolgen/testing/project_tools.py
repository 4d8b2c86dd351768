"""The tools of a project to test, and the fixtures that it gives to tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from toolgen.base.files import FileKind
from toolgen.base.suggestions import did_you_mean
from toolgen.project import Project, UnableError, kind_of

Tool = TypeVar("Tool")
DEFAULT_FIXTURES = "tests/toolgen_fixtures.py"


def find_tools(by_name: Mapping[str, Tool], names: Sequence[str]) -> list[Tool]:
    """Return the tools with these names. Raises `UnableError` for another name."""
    for name in names:
        if name not in by_name:
            hint = did_you_mean(name, by_name) or f"the tools are {', '.join(by_name)}"
            raise UnableError("no-such-tool", f"there is no tool called '{name}'", hint)
    return [by_name[name] for name in names]


def require_generated(project: Project) -> None:
    """Raise `UnableError` if there is no generated code."""
    if not (project.root / project.output / "catalog.py").is_file():
        message = f"there is no generated code in {project.output}"
        raise UnableError("not-generated", message, "run `toolgen generate`")


def fixtures_file(project: Project) -> Path | None:
    """Return the file with the project's fixtures; None if it has none.

    Raises UnableError if the configured file is missing, or outside of the project.
    """
    path = project.test_fixtures or DEFAULT_FIXTURES
    if kind_of(project.root, path, links=True) is FileKind.FILE:
        return project.root / path
    if project.test_fixtures is None:
        return None
    message = f"there is no file {path}, which [test] fixtures names"
    raise UnableError("unreadable-file", message)
