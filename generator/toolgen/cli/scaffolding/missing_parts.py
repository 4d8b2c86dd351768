"""Find the implementations and tests that tools with a spec do not have yet, and write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.cli.building.project_build import package_of, program_of, read_inputs
from toolgen.cli.scaffolding.files import PACKAGE, http_text, missing_packages, stub_text, test_text
from toolgen.files import FileKind
from toolgen.project import Project, UnableError, kind_of

if TYPE_CHECKING:
    from toolgen.data.package import Tool


def missing_parts(start: str, name: str | None) -> dict[str, str]:
    """Return path → text of the files that are missing for the tool `name`, or for all tools.

    Tests are added to tools that get an implementation, or to the one that was named. Raises `SpecErrors` for
    specs that are not valid, UnableError if the project has no implementations or no such tool.
    """
    inputs = read_inputs(start)
    project = inputs.project
    if not project.implementations:
        message = f"{project.file} has no `implementations` setting"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')
    program = program_of(inputs)
    titles = {tool.spec.name: tool.spec.title or tool.spec.name for tool in program.tools}
    calls_http = {tool.spec.name for tool in program.tools if "x-openapi" in tool.spec.extensions}
    if name is not None and name not in titles:
        raise UnableError("no-such-tool", f"there is no enabled tool called '{name}'")
    files: dict[str, str] = {}
    for tool in package_of(program, inputs).tools:
        if name is None or tool.wire_name == name:
            files |= _parts(project, tool, titles[tool.wire_name], tool.wire_name in calls_http, name)
    return {**dict.fromkeys(missing_packages(project), PACKAGE), **files} if files else {}


def _parts(project: Project, tool: Tool, title: str, calls_http: bool, name: str | None) -> dict[str, str]:
    module = project.path_of(f"{project.implementations}.{tool.py_name}")
    implementation = f"{module}.py"
    test = f"tests/test_{tool.py_name}.py"

    def is_free(path: str) -> bool:
        return kind_of(project.root, path) is None

    files = {}
    if kind_of(project.root, module, links=True) is not FileKind.FOLDER and is_free(implementation):
        files[implementation] = (
            http_text(project.package, tool) if calls_http else stub_text(project.package, tool, title)
        )
    if (files or name) and not calls_http and is_free(test):
        files[test] = test_text(tool, title)
    return files
