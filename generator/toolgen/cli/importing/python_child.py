"""Child process of `import python`: import modules and write descriptions of their functions to a JSON file.

It is a process of its own because importing a module runs it: it may print, hang, exit or crash.
`toolgen.cli.child_process` calls `main` in it.
"""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import json
import os
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typing_extensions

from toolgen.files import write_named
from toolgen.importers.imported_tool import SourceError
from toolgen.importers.python.signature import FunctionDescription, describe_function
from toolgen.suggestions import shortened


def main(seconds: str, result: str, folder: str, *targets: str) -> None:
    process_id = os.getpid()
    with open(os.devnull, "w") as devnull:
        # ends this process even if its parent is gone, and even if Python code cannot run
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=devnull)
        sys.path.insert(0, folder)
        if sys.version_info < (3, 12):
            typing.TypedDict = typing_extensions.TypedDict  # pydantic accepts no other before 3.12
        try:
            described = [each.to_json() for target in targets for each in _describe(target, folder)]
            answer: dict[str, Any] = {"functions": described}
        except SourceError as error:
            answer = {"error": error.message, "hint": error.hint}
        if os.getpid() == process_id:  # a module that forks leaves two processes here
            write_named(result, json.dumps(answer).encode())
        os._exit(0)  # without waiting for threads and exit handlers of the imported modules


def _describe(target: str, folder: str) -> Iterator[FunctionDescription]:
    module_name, colon, function_name = target.rpartition(":") if ":" in target else (target, "", "*")
    if colon and not function_name:
        raise SourceError(f"{target}: the name of the function is missing", "write MODULE:FUNCTION")
    module = _import(module_name, folder, target)
    if function_name != "*":
        yield describe_function(_find(module, function_name, target), module.__name__, function_name)
        return
    functions = _public_functions(module)
    if not functions:
        raise SourceError(f"{target}: no public functions in {module.__name__}", "write MODULE:FUNCTION")
    for name, function in functions.items():
        yield describe_function(function, module.__name__, name)


def _import(name: str, folder: str, target: str) -> Any:
    """Import a module by its dotted name or its path; a file in a package is imported as part of it."""
    if name.endswith(".py"):
        name = _add_to_path(name, folder)
    if not all(part.isidentifier() for part in name.split(".")):
        raise SourceError(f"{target}: {name!r} cannot be the name of a module", "write MODULE:FUNCTION")
    try:
        return importlib.import_module(name)
    except BaseException as error:  # importing runs the module, which may raise anything, even SystemExit
        message = f"{target}: importing {name} failed: {_describe_error(error)}"
        raise SourceError(message, _hint(error, name)) from None


def _add_to_path(file: str, folder: str) -> str:
    """Make a file importable; return its dotted name."""
    path = Path(folder, file).resolve()
    if not path.is_file():
        raise SourceError(f"{file}: there is no such file", "give a file, or a module by its name")
    parts = [path.stem] if path.stem != "__init__" else []
    top = path.parent
    while (top / "__init__.py").is_file():
        parts.insert(0, top.name)
        top = top.parent
    sys.path.insert(0, str(top))
    return ".".join(parts)


def _describe_error(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {shortened(lines[0])}" if lines else type(error).__name__


def _hint(error: BaseException, name: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
        return "set its folder with -C, install it in toolgen's environment, or give the path of the file"
    if isinstance(error, ModuleNotFoundError):
        return "install the missing module in toolgen's environment"
    return "importing a module runs it: does `python -c 'import …'` work?"


def _find(module: Any, path: str, target: str) -> Any:
    found = module
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except Exception:  # modules and classes may define __getattr__
            names = list(_public_functions(module))
            hint = f"it has {', '.join(names[:8])}" if names else "it has no public functions"
            raise SourceError(f"{target}: {module.__name__} has no {path!r}", hint) from None
    return found


def _public_functions(module: Any) -> dict[str, Any]:
    """Return the functions in `__all__`, or those defined in the module without a leading underscore."""
    listed = getattr(module, "__all__", None)
    functions: dict[str, Any] = {}
    for name in listed if listed is not None else list(vars(module)):
        item = vars(module).get(name)
        is_own = inspect.isfunction(item) and (listed is not None or item.__module__ == module.__name__)
        if is_own and (listed is not None or not name.startswith("_")) and name != "main":
            functions[name] = item
    return functions
