"""The tools of a project to test, and the fixtures that it gives to tests."""

from __future__ import annotations

from pathlib import Path

from toolgen.files import FileKind
from toolgen.pipeline import analyze
from toolgen.project import Project, UnableError, kind_of, load_targets, read_specs
from toolgen.testing.tool_under_test import ToolUnderTest, tool_under_test

DEFAULT_FIXTURES = "tests/toolgen_fixtures.py"


def project_tools(project: Project) -> list[ToolUnderTest]:
    """Return all enabled tools. Raises `SpecErrors` or `UnableError` if the specs cannot be read."""
    program = analyze(read_specs(project), load_targets(project), f"{project.specs}/", is_whole=True)
    return [tool_under_test(tool) for tool in program.tools]


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
