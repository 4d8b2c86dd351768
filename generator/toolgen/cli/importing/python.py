"""Write a spec for functions of Python: type hints become schemas, the docstring its words.

SOURCE is MODULE:FUNCTION, MODULE for all its public functions, or a file: path/to/module.py:function.
Importing a module runs its code: do so only with code that you trust. It is imported in a process of its own,
with the Python that toolgen runs on, and ended after a minute.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.cli.child_process import how_it_ended, run_bounded
from toolgen.cli.importing.common import add_arguments, bring_in, refusing
from toolgen.cli.output import say
from toolgen.project import Project, UnableError, find_project

if TYPE_CHECKING:
    from toolgen.data.package import Package, Tool
    from toolgen.importers.imported_tool import ImportedTool
    from toolgen.importers.names import ExistingNames

_SECONDS = 60.0


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "MODULE:FUNCTION, MODULE, or a file of Python; several will do", several=True)
    parser.add_argument(
        "--implement", action="store_true", help="write implementations, too, which call the functions"
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.python import OWNED, import_python

    if args.implement:
        _check_project(args)
    with refusing():
        functions = look(args.source, Path(args.start).resolve())
    by_name: dict[str, dict[str, Any]] = {}

    def make(names: ExistingNames) -> list[ImportedTool]:
        tools = import_python(functions, names)
        by_name.update({tool.name: function for tool, function in zip(tools, functions, strict=True)})
        return tools

    def modules(project: Project, model: Package) -> dict[str, str]:
        return _modules(project, [(tool, by_name[tool.wire_name]) for tool in model.tools])

    return bring_in(args, make, OWNED, modules if args.implement else None)


def _check_project(args: argparse.Namespace) -> None:
    project = find_project(Path(args.start))
    if project.implementations is None:
        message = f"--implement: {project.file} does not say where implementations go"
        raise UnableError("usage", message, 'write implementations = "PACKAGE" in it')


def _modules(project: Project, found: Sequence[tuple[Tool, dict[str, Any]]]) -> dict[str, str]:
    """Path below the project → text of the implementations that are not there yet."""
    from toolgen.cli.importing.function_module import function_module
    from toolgen.cli.scaffolding.files import PACKAGE, missing_packages

    files: dict[str, str] = {}
    for tool, function in found:
        path = project.folder_of(f"{project.implementations}.{tool.py_name}").with_suffix(".py")
        short = path.relative_to(project.root).as_posix()
        if function["by_hand"]:
            say(f"  {tool.wire_name}: to be implemented by hand, since {function['by_hand']}")
        elif path.exists():
            say(f"  {tool.wire_name}: {short} is there already, and kept")
        else:
            files[short] = function_module(project, tool, function)
    return dict.fromkeys(missing_packages(project), PACKAGE) | files if files else {}


def look(targets: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """What the functions say of themselves, asked in a process of its own. Raises `SourceError`."""
    from toolgen.importers.imported_tool import SourceError
    from toolgen.importers.json_source import MAX_BYTES, read_json_documents

    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        result = Path(scratch, "result.json")
        command = [sys.executable, "-P", "-B", "-m", "toolgen.cli.importing.python_child"]
        code = run_bounded(
            [*command, str(2 * _SECONDS), str(result), str(folder), *targets], folder, _SECONDS + 1
        )
        if code is None:
            raise SourceError(
                f"{', '.join(targets)}: not imported within {_SECONDS:.0f} seconds",
                _ENDED,
            )
        if not result.is_file():
            raise SourceError(
                f"{', '.join(targets)}: the import ended its process{how_it_ended(code)}", _ENDED
            )
        with result.open("rb") as file:
            (document,) = read_json_documents(file.read(MAX_BYTES + 1), ", ".join(targets))
    answer: dict[str, Any] = document.value
    if "error" in answer:
        raise SourceError(answer["error"], answer["hint"])
    functions: list[dict[str, Any]] = answer["functions"]
    return functions


_ENDED = "importing a module runs it: guard what it starts with `if __name__ == '__main__':`"
