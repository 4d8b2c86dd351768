"""Python functions: described in a child process that imports them; modules that implement tools by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolgen.compile.printing.file_templates import render
from toolgen.language.package import Tool
from toolgen.project import Project
from toolgen.sources.loading.imported_module import ask_child
from toolgen.sources.loading.imported_specs import NewModules, module_path, new_modules
from toolgen.sources.python.signature import FunctionDescription
from toolgen.sources.python.specs import error_code

_TEMPLATE = "_new/function.py.jinja"


def describe_functions(targets: Sequence[str], folder: Path) -> list[FunctionDescription]:
    """Return the descriptions of the functions, made in a child process. Raises `SourceError`."""
    answer = ask_child("toolgen.sources.loading.python_child", targets, folder)
    return [FunctionDescription.from_json(data) for data in answer["functions"]]


def function_modules(
    project: Project, tools: Sequence[Tool], functions: Mapping[str, FunctionDescription]
) -> NewModules:
    """Return modules that implement tools by calling the functions, and why some tools get none."""
    files: dict[str, str] = {}
    notes: list[str] = []
    for tool in tools:
        function = functions[tool.wire_name]
        if function.by_hand:
            notes.append(f"{tool.wire_name}: must be implemented by hand, since {function.by_hand}")
        else:
            files[module_path(project, tool.py_name)] = _implementation_text(project, tool, function)
    return new_modules(project, files, notes)


def _implementation_text(project: Project, tool: Tool, function: FunctionDescription) -> str:
    """Return the text of a module that implements `tool` by calling `function`."""
    chunks = function.chunk_schema is not None
    iterator = "AsyncIterator" if function.async_chunks or function.awaited else "Iterator"
    return render(
        _TEMPLATE,
        tool=tool,
        package=project.package,
        module=function.module,
        called=function.path,
        source=f"{function.module}.{function.path}",
        root=function.path.partition(".")[0],
        injected="".join(f", {item['parameter']}={item['name']}" for item in function.inject),
        raised=list(_raised(tool, function)),
        chunks=chunks,
        iterator=iterator,
        result=f"{iterator}[Any]" if chunks else tool.response_class or "Any",
        asynchronous=function.awaited or function.async_chunks,
        async_chunks=function.async_chunks,
        awaited=function.awaited,
        wrapped=function.wrapped,
    )


def _raised(tool: Tool, function: FunctionDescription) -> Iterator[dict[str, str]]:
    """Yield importable exceptions: module, name, alias in the module, and the error that each becomes."""
    errors = {error.code: error.name for error in tool.errors}
    for number, (written, path) in enumerate(function.exceptions.items()):
        module, _, name = path.partition(":")
        error = errors.get(error_code(written))
        if not name or error is None:
            continue
        alias = name if module == "builtins" else f"_{name}_{number}"
        yield {"module": module, "name": name, "alias": alias, "error": error}
