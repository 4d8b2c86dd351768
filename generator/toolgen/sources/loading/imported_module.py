"""Child processes of imports: import a module that the user names, and write what was found to a JSON file.

They are processes of their own because importing a module runs it: it may print, hang, exit or crash.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from toolgen.base.child_process import how_it_ended, run_bounded
from toolgen.base.files import open_named, write_named
from toolgen.base.suggestions import shortened
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import read_json_documents
from toolgen.sources.mcp_client import limits

from .source_content import read_bounded

_ENDED = "importing a module runs it: guard what it starts with `if __name__ == '__main__':`"


def ask_child(module: str, targets: Sequence[str], folder: Path) -> dict[str, Any]:
    """Return what `main` of a module answers about the targets, in a child process. Raises `SourceError`."""
    if not folder.is_dir():
        raise SourceError(f"{folder} is not a folder", "give the one with the modules: -C DIR")
    name = ", ".join(targets)
    seconds = limits.TIME_LIMIT
    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        result = Path(scratch, "result.json")
        code = run_bounded(
            module,
            [str(2 * seconds), str(result), str(folder), *targets],
            folder=folder,
            scratch=scratch,
            seconds=seconds + 1,
        )
        if code is None:
            raise SourceError(f"{name}: not imported within {seconds:.0f} seconds", _ENDED)
        try:
            with open_named(result) as file:
                (document,) = read_json_documents(read_bounded(file), name)
        except FileNotFoundError:
            ended = f"the import ended its process{how_it_ended(code)}"
            raise SourceError(f"{name}: {ended}", _ENDED) from None
    answer: dict[str, Any] = document.value
    if "error" in answer:
        raise SourceError(answer["error"], answer["hint"])
    return answer


def answer_in_child(answer: Callable[[], dict[str, Any]], seconds: str, result: str, folder: str) -> None:
    """Write what `answer` returns, or its `SourceError`, to the file `result`; end this process."""
    process_id = os.getpid()
    with open(os.devnull, "w") as devnull:
        # ends this process even if its parent is gone, and even if Python code cannot run
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=devnull)
        sys.path.insert(0, folder)
        del sys.argv[1:]  # modules may parse arguments; these are not theirs
        try:
            found = answer()
        except SourceError as error:
            found = {"error": error.message, "hint": error.hint}
        if os.getpid() == process_id:  # a module that forks leaves two processes here
            write_named(result, json.dumps(found).encode())
        os._exit(0)  # without waiting for threads and exit handlers of the imported modules


def import_target(name: str, folder: str, target: str) -> Any:
    """Import a module by its dotted name or its path; a file in a package is imported as part of it."""
    if name.endswith(".py"):
        name = _add_to_path(name, folder)
    if not all(part.isidentifier() for part in name.split(".")):
        raise SourceError(f"{target}: {name!r} cannot be the name of a module", "write MODULE:FUNCTION")
    try:
        return importlib.import_module(name)
    except BaseException as error:  # importing runs the module, which may raise anything, even SystemExit
        message = f"{target}: importing {name} failed: {describe_error(error)}"
        raise SourceError(message, _hint(error, name)) from None


def find_in(module: Any, path: str, target: str, hint: str) -> Any:
    """Return what the dotted `path` names in a module."""
    found = module
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except Exception:  # modules and classes may define __getattr__
            raise SourceError(f"{target}: {module.__name__} has no {path!r}", hint) from None
    return found


def _add_to_path(file: str, folder: str) -> str:
    """Make a file importable; return its dotted name."""
    path = Path(os.path.realpath(Path(folder, file)))  # `resolve` raises for a circle of links
    if not path.is_file():
        raise SourceError(f"{file}: there is no such file", "give a file, or a module by its name")
    parts = [path.stem] if path.stem != "__init__" else []
    top = path.parent
    while (top / "__init__.py").is_file():
        parts.insert(0, top.name)
        top = top.parent
    sys.path.insert(0, str(top))
    return ".".join(parts)


def describe_error(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {shortened(lines[0])}" if lines else type(error).__name__


def _hint(error: BaseException, name: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
        return "set its folder with -C, install it in toolgen's environment, or give the path of the file"
    if isinstance(error, ModuleNotFoundError):
        return "install the missing module in toolgen's environment"
    return "importing a module runs it: does `python -c 'import …'` work?"
