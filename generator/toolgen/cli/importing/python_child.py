"""The process that imports other people's modules for `import python`: what it finds, as JSON in a file.

It is a process of its own because importing a module runs it: it may print, hang, exit or crash.
Called as `python -m toolgen.cli.importing.python_child SECONDS RESULT FOLDER TARGET...`.
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

from toolgen.importers.imported_tool import SourceError
from toolgen.importers.python_signature import describe
from toolgen.suggestions import shortened


def main(seconds: str, result: str, folder: str, *targets: str) -> None:
    me = os.getpid()
    with open(os.devnull, "w") as nowhere:
        # a second net, below Python: it ends this process even where its parent is gone
        faulthandler.dump_traceback_later(float(seconds), exit=True, file=nowhere)
        sys.path.insert(0, folder)
        if sys.version_info < (3, 12):
            typing.TypedDict = typing_extensions.TypedDict  # pydantic takes no other before 3.12
        try:
            found = [made.as_json() for target in targets for made in _described(target, folder)]
            answer: dict[str, Any] = {"functions": found}
        except SourceError as error:
            answer = {"error": error.message, "hint": error.hint}
        if os.getpid() == me:  # a module that forks leaves two of us
            Path(result).write_text(json.dumps(answer), "utf-8")
        os._exit(0)  # threads and exit handlers of what was imported have nothing to say here


def _described(target: str, folder: str) -> Iterator[Any]:
    where, colon, wanted = target.rpartition(":") if ":" in target else (target, "", "*")
    if colon and not wanted:
        raise SourceError(f"{target}: the name of the function is missing", "write MODULE:FUNCTION")
    module = _loaded(where, folder, target)
    for name, function in _chosen(module, wanted, target):
        yield describe(function, module.__name__, name)


def _is_file(target: str) -> bool:
    return target.endswith(".py")


def _loaded(where: str, folder: str, target: str) -> Any:
    """The module by its dotted name, or by its path; a file in a package is imported as a part of it."""
    name = where
    if _is_file(where):
        path = Path(folder, where).resolve()
        if not path.is_file():
            raise SourceError(f"{where}: there is no such file", "give a file, or a module by its name")
        parts = [path.stem] if path.stem != "__init__" else []
        top = path.parent
        while (top / "__init__.py").is_file():
            parts.insert(0, top.name)
            top = top.parent
        sys.path.insert(0, str(top))
        name = ".".join(parts)
    if not all(part.isidentifier() for part in name.split(".")):
        raise SourceError(f"{target}: {name!r} cannot be the name of a module", "write MODULE:FUNCTION")
    try:
        return importlib.import_module(name)
    except BaseException as error:  # importing runs the module: it raises what it likes, SystemExit, too
        raise SourceError(
            f"{target}: importing {name} failed: {_said(error)}", _advice(error, name)
        ) from None


def _said(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {shortened(lines[0])}" if lines else type(error).__name__


def _advice(error: BaseException, name: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
        return "is its folder the one of -C, or installed beside toolgen? a path to a file will do, too"
    if isinstance(error, ModuleNotFoundError):
        return "install what it needs beside toolgen"
    return "importing a module runs it: does `python -c 'import …'` work?"


def _chosen(module: Any, wanted: str, target: str) -> Iterator[tuple[str, Any]]:
    """The function that is named, or every public one of the module's own."""
    if wanted != "*":
        found = module
        for part in wanted.split("."):
            try:
                found = getattr(found, part)
            except Exception:  # a module and a class may answer for themselves
                raise SourceError(f"{target}: {module.__name__} has no {wanted!r}", _names(module)) from None
        yield wanted, found
        return
    names = [name for name, item in _own(module)]
    if not names:
        raise SourceError(f"{target}: no public functions in {module.__name__}", "write MODULE:FUNCTION")
    yield from _own(module)


def _own(module: Any) -> Iterator[tuple[str, Any]]:
    listed = getattr(module, "__all__", None)
    for name in listed if listed is not None else list(vars(module)):
        item = vars(module).get(name)
        ours = inspect.isfunction(item) and (listed is not None or item.__module__ == module.__name__)
        if ours and (listed is not None or not name.startswith("_")) and name != "main":
            yield name, item


def _names(module: Any) -> str:
    names = [name for name, _ in _own(module)]
    return f"it has {', '.join(names[:8])}" if names else "it has no public functions"


if __name__ == "__main__":
    main(*sys.argv[1:])
