"""Which tools code calls by a client, and which arguments it gives.

Read off the syntax tree; nothing is imported or run. Whatever has the name of a method counts, a field of a
response, too: better one tool too many than one too few.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from toolgen.base import MIB
from toolgen.base.files import Folder, read_named
from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.server_drift import ANY_ARGUMENT
from toolgen.compile.printing.client_source import ClientMethod
from toolgen.project import UnableError, find_root, reason
from toolgen.project.inputs.discovery import repository

_MAX_BYTES: Final = 4 * MIB  # of one file
_MAX_FILES: Final = 20_000  # below the folders that are searched
_SKIPPED: Final = (".", "__pycache__", "node_modules")
_NO_CLIENT: Final = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple, ast.JoinedStr)


def find_uses(
    folder: Path, paths: Sequence[str], methods: Sequence[ClientMethod], package: str
) -> dict[str, list[str]]:
    """Return the arguments that Python files give to tools, sorted, by the names that the server lists.

    `paths` are files and folders, relative to `folder`; the files of the client itself do not count. Raises
    UnableError for one that is missing, cannot be parsed, or leaves the repository or project of `folder`.
    """
    root = Path(os.path.realpath(repository(folder) or find_root(folder)))
    for path in paths:  # a lock may come from others
        if not Path(os.path.realpath(folder / path)).is_relative_to(root):
            raise UnableError("outside-project", f"--uses: {quoted(path)} leaves the project's folder")
    by_name = {method.name: method for method in methods}
    found: dict[str, set[str]] = {}
    own = (folder / package).resolve()

    def is_wanted(path: str) -> bool:
        return path.endswith(".py") and own not in (folder / path).resolve().parents

    for shown, text in read_files(folder, paths, is_wanted, "--uses", _MAX_BYTES):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            message = f"--uses: {shown} cannot be parsed: {error}"
            raise UnableError("bad-source", message, "is it Python of this version?") from None
        if _imports(tree, package):
            for method, arguments in _calls(tree, by_name):
                found.setdefault(method.listed_name, set()).update(arguments)
    return {name: sorted(arguments) for name, arguments in sorted(found.items())}


def read_files(
    start: str | Path, paths: Sequence[str], is_wanted: Callable[[str], bool], flag: str, limit: int
) -> Iterator[tuple[str, bytes]]:
    """Yield the files that `paths` are, and those below them that are wanted, with their names.

    Raises UnableError, which names the `flag`, for a path that cannot be read.
    """
    count = 0
    for path in paths:
        place, shown = Path(start, path), path.removeprefix("./").rstrip("/")
        try:
            if place.is_file():
                yield path, read_named(place, limit=limit)
                continue
            folder = Folder(place)
            for each in sorted(entry.path for entry in folder.walk(skipped=_SKIPPED)):
                if not is_wanted(f"{path}/{each}"):
                    continue
                count += 1
                if count > _MAX_FILES:
                    raise UnableError("too-complex", f"{flag}: more than {_MAX_FILES:,} files")
                yield f"{shown}/{each}".removeprefix("./"), folder.read(each, limit=limit)
        except OSError as error:
            raise UnableError("bad-source", f"{flag}: cannot read {quoted(path)}: {reason(error)}") from error


def _imports(tree: ast.Module, package: str) -> bool:
    """True if a module imports the client, or a part of it."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                modules = [each.name for each in names]
            case ast.ImportFrom(module, names):
                modules = [module or "", *(each.name for each in names)]
            case _:
                continue
        if any(package in module.split(".") for module in modules):
            return True
    return False


def _calls(
    tree: ast.Module, methods: Mapping[str, ClientMethod]
) -> Iterator[tuple[ClientMethod, Collection[str]]]:
    """Yield the methods that a module calls or passes on, with the arguments on the wire."""
    called: set[int] = set()  # the functions of calls, which `walk` yields after them
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(receiver, name) as function) if name in methods:
                called.add(id(function))
                if not isinstance(receiver, _NO_CLIENT):
                    yield methods[name], _arguments(node, methods[name])
            case ast.Attribute(attr=name) if name in methods and id(node) not in called:
                yield methods[name], (ANY_ARGUMENT,)  # `shop.pages(shop.search, …)`


def _arguments(call: ast.Call, method: ClientMethod) -> set[str]:
    names = {each.name: each.wire_name for each in method.parameters}
    given = {None if each.arg is None else names.get(each.arg, each.arg) for each in call.keywords}
    named = {each for each in given if each is not None}
    return named | {ANY_ARGUMENT} if call.args or None in given else named
