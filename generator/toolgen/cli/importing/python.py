"""Create specs from Python functions: type hints become schemas, docstrings become descriptions.

SOURCE is MODULE:FUNCTION, MODULE for all its public functions, or a file: path/to/module.py:function.
The module is imported, which runs its code: use this only with code that you trust. It runs in a child
process, with the Python interpreter of toolgen, for at most one minute.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.cli.child_process import how_it_ended, run_bounded
from toolgen.cli.file_templates import render
from toolgen.cli.importing import common
from toolgen.cli.output import say
from toolgen.files import open_named
from toolgen.project import Project, UnableError, find_project, kind_of

if TYPE_CHECKING:
    from toolgen.data.package import Package, Tool
    from toolgen.importers.imported_tool import ImportedTool
    from toolgen.importers.python.signature import FunctionDescription

_TEMPLATE = "_new/function.py.jinja"
_ENDED = "importing a module runs it: guard what it starts with `if __name__ == '__main__':`"


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(parser, "MODULE:FUNCTION, MODULE, or a Python file; repeat for more", several=True)
    parser.add_argument(
        "--implement", action="store_true", help="also write implementations, which call the functions"
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.python.specs import OWNED, import_python

    if args.implement:
        _check_implementations_setting(args)
    with common.source_errors():
        functions = describe_functions(args.source, Path(args.start).resolve())
    by_name: dict[str, FunctionDescription] = {}

    def convert(context: common.ImportContext) -> list[ImportedTool]:
        tools = import_python(functions, context.names)
        by_name.update({tool.name: function for tool, function in zip(tools, functions, strict=True)})
        return tools

    def implementations(project: Project, package: Package) -> dict[str, str]:
        return _implementations(project, package.tools, by_name)

    return common.write_imported_specs(
        args, convert, OWNED, implementations=implementations if args.implement else None
    )


def _check_implementations_setting(args: argparse.Namespace) -> None:
    project = find_project(Path(args.start))
    if project.implementations is None:
        message = f"--implement: {project.file} does not say where implementations go"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')


def describe_functions(targets: Sequence[str], folder: Path) -> list[FunctionDescription]:
    """Return the descriptions of the functions, made in a child process. Raises `SourceError`."""
    from toolgen.importers.imported_tool import SourceError
    from toolgen.importers.json_source import read_json_documents
    from toolgen.importers.python.signature import FunctionDescription

    name = ", ".join(targets)
    seconds = common.TIME_LIMIT
    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        result = Path(scratch, "result.json")
        code = run_bounded(
            "toolgen.cli.importing.python_child",
            [str(2 * seconds), str(result), str(folder), *targets],
            folder=folder,
            scratch=scratch,
            seconds=seconds + 1,
        )
        if code is None:
            raise SourceError(f"{name}: not imported within {seconds:.0f} seconds", _ENDED)
        try:
            with open_named(result) as file:
                (document,) = read_json_documents(common.read_bounded(file), name)
        except FileNotFoundError:
            ended = f"the import ended its process{how_it_ended(code)}"
            raise SourceError(f"{name}: {ended}", _ENDED) from None
    answer: dict[str, Any] = document.value
    if "error" in answer:
        raise SourceError(answer["error"], answer["hint"])
    return [FunctionDescription.from_json(data) for data in answer["functions"]]


def _implementations(
    project: Project, tools: Sequence[Tool], functions: dict[str, FunctionDescription]
) -> dict[str, str]:
    """Return path below the project → text, for implementations that do not exist yet."""
    from toolgen.cli.scaffolding.files import PACKAGE, missing_packages

    files: dict[str, str] = {}
    for tool in tools:
        function = functions[tool.wire_name]
        path = f"{project.path_of(f'{project.implementations}.{tool.py_name}')}.py"
        if function.by_hand:
            say(f"  {tool.wire_name}: must be implemented by hand, since {function.by_hand}")
        elif kind_of(project.root, path) is not None:
            say(f"  {tool.wire_name}: {path} exists already, and is kept")
        else:
            files[path] = implementation_text(project, tool, function)
    return dict.fromkeys(missing_packages(project), PACKAGE) | files if files else {}


def implementation_text(project: Project, tool: Tool, function: FunctionDescription) -> str:
    """Return the text of a module that implements `tool` by calling `function`."""
    from toolgen.compile.printing.format import format_tree

    chunks = function.chunk_schema is not None
    iterator = "AsyncIterator" if function.async_chunks or function.awaited else "Iterator"
    text = render(
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
    return format_tree({"function.py": text})["function.py"]


def _raised(tool: Tool, function: FunctionDescription) -> Iterator[dict[str, str]]:
    """Yield importable exceptions: module, name, alias in the module, and the error that each becomes."""
    from toolgen.importers.python.specs import error_code

    errors = {error.code: error.name for error in tool.errors}
    for number, (written, path) in enumerate(function.exceptions.items()):
        module, _, name = path.partition(":")
        error = errors.get(error_code(written))
        if not name or error is None:
            continue
        alias = name if module == "builtins" else f"_{name}_{number}"
        yield {"module": module, "name": name, "alias": alias, "error": error}
