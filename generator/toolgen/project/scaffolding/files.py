"""Texts of new files, from the templates whose names begin with an underscore."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolgen.compile.printing.file_templates import render
from toolgen.project import kind_of
from toolgen.project.output.editor_schema import NAME as SCHEMA
from toolgen.project.scaffolding.parameters import scalar

if TYPE_CHECKING:
    from toolgen.language.package import Tool
    from toolgen.project import Project

PACKAGE = '"""The tools of this project: one module per tool, each with one class."""\n'
"""The text of a package above that of the implementations."""


def package_text(injected: Iterable[tuple[str, str]]) -> str:
    """Return the module of the implementations' package, with a place for each injected value."""
    return render("_init/package.py.jinja", injected=sorted(set(injected)))


def spec_text(answers: Mapping[str, Any]) -> str:
    """Return the spec of a new tool, with the user's text quoted where YAML needs it."""
    return render(
        "_new/spec.yaml.jinja",
        schema=SCHEMA,
        name=scalar(answers["name"]),
        title=scalar(answers["title"]),
        description=scalar(answers["description"]),
        parameters=answers["parameters"],
        required=[parameter.key for parameter in answers["required"]],
        destructive=answers["destructive"],
        confirm=scalar(_question(answers)) if answers["destructive"] else "",
        example=json.dumps(answers["arguments"]),
    )


def _question(answers: Mapping[str, Any]) -> str:
    """Return the question of a new tool, which names what will be changed: the first required parameter."""
    named = "".join(f" {{{each.name}}}" for each in answers["required"][:1])
    return f"{answers['title']}{named}?"


def stub_text(package: str, tool: Tool, title: str) -> str:
    """Return the module of an implementation that is still to be written, for any spec."""
    chunks = [tool.chunk_class] if tool.chunk_class else []
    result = tool.response_class or "Any"
    if chunks:
        result = (
            f"AsyncIterator[{' | '.join([*chunks, *([tool.response_class] if tool.response_class else [])])}]"
        )
    elif tool.definition.get("content", "any") != "any":  # blocks that it declares are expected beside
        result = "Any"
    preview = tool.response_class or "Any" if "only_if" in tool.definition.get("confirm", {}) else "str"
    types = re.findall(r"\w+", f"{result} {preview}")
    # Names that only annotations use are imported for type checkers alone.
    checked = bool(tool.imports or chunks)
    return render(
        "_new/stub.py.jinja",
        package=package,
        title=title,
        spec=tool.file,
        tool=tool,
        class_name=tool.tool_class.removesuffix("Tool"),
        names=sorted({tool.request_class, tool.tool_class, *types} - {"Any", "AsyncIterator", "str"}),
        typing=[*(["TYPE_CHECKING"] if checked else []), *(["Any"] if "Any" in types else [])],
        iterator=bool(chunks),
        parameters=tool.parameters.removeprefix(", ").split(", ") if tool.parameters else [],
        result=result,
        preview=preview,
        message=json.dumps(f"{tool.wire_name} is not implemented yet."),
    )


def http_text(package: str, tool: Tool) -> str:
    """Return a module that calls an imported HTTP operation."""
    return render("_new/http.py.jinja", package=package, tool=tool)


def test_text(tool: Tool, title: str) -> str:
    """Return the test of a tool that is not implemented yet."""
    return render("_new/test.py.jinja", title=title, tool=tool, wire_name=json.dumps(tool.wire_name))


def missing_packages(project: Project) -> Iterator[str]:
    """Yield the path of each missing `__init__.py` of the implementations' package and its parents."""
    parts = (project.implementations or "").split(".")
    for depth in range(1, len(parts) + 1):
        path = f"{project.path_of('.'.join(parts[:depth]))}/__init__.py"
        if kind_of(project.root, path) is None:
            yield path
