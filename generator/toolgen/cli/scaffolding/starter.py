"""The texts that a project starts from: templates whose names begin with an underscore."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from toolgen.cli.scaffolding.parameters import scalar

if TYPE_CHECKING:
    from toolgen.data.package import Tool
    from toolgen.project import Project

PACKAGE = '"""The tools of this project: one module per tool, each with one class."""\n'
_WIDTH = 88  # as generated code is laid out
SCHEMA = ".toolgen.schema.json"


def render(path: str, **values: Any) -> str:
    """`templates/<path>` with `values`, which are printed as they are: quote what a person typed before."""
    from jinja2 import Environment, StrictUndefined

    from toolgen.python_source.literals import docstring

    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["docstring"] = docstring
    environment.filters["yaml"] = partial(json.dumps, ensure_ascii=False)
    text = files("toolgen.templates").joinpath(path).read_text("utf-8")
    return environment.from_string(text).render(**values)


def schema_file() -> tuple[str, str]:
    """Name and text of the file that lets an editor complete and check specs without the network."""
    from toolgen.compile.editor_schema import editor_schema

    return SCHEMA, json.dumps(editor_schema(), indent=2, ensure_ascii=False) + "\n"


def spec_text(wanted: Mapping[str, Any]) -> str:
    """The spec of a new tool. Everything that a person typed is quoted where YAML would read it otherwise."""
    return render(
        "_new/spec.yaml.jinja",
        schema=SCHEMA,
        name=scalar(wanted["name"]),
        title=scalar(wanted["title"]),
        description=scalar(wanted["description"]),
        parameters=wanted["parameters"],
        required=[parameter.key for parameter in wanted["required"]],
        destructive=wanted["destructive"],
        confirm=scalar(f"{wanted['title']}?") if wanted["destructive"] else "",
        example=json.dumps(wanted["arguments"]),
    )


def implementation_text(project: Project, tool: Tool, wanted: Mapping[str, Any]) -> str:
    """The module that the person who asked for the tool goes on with."""
    return render(
        "_new/implementation.py.jinja",
        package=project.package,
        title=wanted["title"],
        spec=tool.file,
        tool=tool,
        class_name=tool.tool_class.removesuffix("Tool"),
    )


def http_text(package: str, tool: Tool) -> str:
    """A module that makes the call of an imported operation."""
    name, base = tool.tool_class.removesuffix("Tool"), tool.tool_class
    module = f"{package}.tools.{tool.py_name}"
    imported, head = f"from {module} import {base}", f"class {name}(HttpTool, {base}):"
    if len(imported) > _WIDTH:
        imported = f"from {module} import (\n    {base},\n)"
    if len(head) > _WIDTH:
        head = f"class {name}(\n    HttpTool, {base}\n):"
    return render("_new/http.py.jinja", spec=tool.file, imported=imported, head=head)


def test_text(project: Project, tool: Tool, wanted: Mapping[str, Any]) -> str:
    """A test that waits for the implementation."""
    return render(
        "_new/test.py.jinja",
        package=project.package,
        title=wanted["title"],
        tool=tool,
        wire_name=json.dumps(tool.wire_name),
        arguments=repr(wanted["arguments"]).replace("'", '"'),
        confirm=wanted["destructive"],
    )


def missing_packages(project: Project) -> Iterator[str]:
    """`__init__.py` of every package on the way to the implementations that has none."""
    parts = (project.implementations or "").split(".")
    for depth in range(1, len(parts) + 1):
        path = project.folder_of(".".join(parts[:depth])) / "__init__.py"
        if not path.exists():
            yield path.relative_to(project.root).as_posix()
