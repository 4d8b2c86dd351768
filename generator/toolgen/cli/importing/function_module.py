"""The implementation of a tool that is a function already: the function, called with the request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolgen.cli.scaffolding.files import render

if TYPE_CHECKING:
    from toolgen.data.package import Tool
    from toolgen.project import Project

_TEMPLATE = "_new/function.py.jinja"


def function_module(project: Project, tool: Tool, function: Mapping[str, Any]) -> str:
    """The module's text; `function` is as `python_signature.describe` has it, its names all checked there."""
    from toolgen.compile.format import format_tree

    chunks = function["chunk_schema"] is not None
    iterator = "AsyncIterator" if function["async_chunks"] or function["awaited"] else "Iterator"
    text = render(
        _TEMPLATE,
        tool=tool,
        package=project.package,
        module=function["module"],
        called=function["path"],
        source=f"{function['module']}.{function['path']}",
        root=function["path"].partition(".")[0],
        injected="".join(f", {item['parameter']}={item['name']}" for item in function["inject"]),
        raised=list(_raised(tool, function)),
        chunks=chunks,
        iterator=iterator,
        result=f"{iterator}[Any]" if chunks else tool.response_class or "Any",
        asynchronous=function["awaited"] or function["async_chunks"],
        async_chunks=function["async_chunks"],
        awaited=function["awaited"],
        wrapped=function["wrapped"],
    )
    return format_tree({"function.py": text})["function.py"]


def _raised(tool: Tool, function: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Exceptions that can be imported: where each is, what it is called here, the error that it becomes."""
    from toolgen.importers.python import error_code

    errors = {error.code: error.name for error in tool.errors}
    for number, (written, place) in enumerate(function["exceptions"].items()):
        module, _, name = place.partition(":")
        error = errors.get(error_code(written))
        if not name or error is None:
            continue
        alias = name if module == "builtins" else f"_{name}_{number}"
        yield {"module": module, "name": name, "alias": alias, "error": error}
