"""Declared files: what one action of a build system reads and writes.

Paths are used as they are written: no link is resolved and no folder is listed, so that a sandbox made of
links works like the folder that the links point to.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from urllib.parse import unquote

from toolgen.compile.reading.read import read
from toolgen.data.diagnostic import SpecErrors
from toolgen.data.spec import is_shared_file, schemas_of
from toolgen.files import (
    DeclaredFolder,
    FileKind,
    Folder,
    IrregularFileError,
    StagedFile,
    WritableFolder,
    make_named,
    read_named,
    remove_empty,
)
from toolgen.project.errors import UnableError, reason
from toolgen.project.output.folder import HEADER, refuse_encodings
from toolgen.schema.document import subschemas

_ELSEWHERE = re.compile(r"[/\\]|[a-zA-Z][a-zA-Z0-9+.-]*:|$")  # not another file below the same folder


def read_file(path: str) -> bytes:
    """Return the bytes of a declared input; `UnableError` if it is missing or not a regular file."""
    try:
        return read_named(path)
    except (IsADirectoryError, IrregularFileError) as error:
        raise UnableError("unreadable-file", f"{path} is not a file") from error
    except OSError as error:
        raise UnableError("unreadable-file", f"cannot read {path}: {reason(error)}") from error


def path_below(file: str, root: str) -> str:
    """Return `file` as a posix path relative to `root`, both as written; `UnableError` if not below."""
    below = os.path.relpath(file, root).replace(os.sep, "/")
    if below == "." or below.split("/")[0] == ".." or not below.isprintable():
        raise UnableError(
            "usage", f"{file} is not below {root}", "name a folder above it with --include-root"
        )
    return below


@dataclass(frozen=True, slots=True)
class Closure:
    """A spec with everything that it refers to."""

    texts: Mapping[str, bytes]  # posix path below the specs folder → content
    read: tuple[str, ...]  # every file that was read, for the dependency file


def read_closure(path: str, root: str) -> Closure:
    """Return the spec at `path` below `root` with the shared files that it refers to, directly or not.

    A reference to a missing file, or to a file that is not shared, is left for `resolve` to refuse in place.
    """
    texts = {path: read_file(os.path.join(root, path))}
    seen, todo = {path}, [path]
    while todo:
        for found in _references(todo.pop(), texts):
            if found in seen or not os.path.exists(os.path.join(root, found)):
                continue
            seen.add(found)
            text = read_file(os.path.join(root, found))
            if _may_be_shared(found, text):
                texts[found] = text
                todo.append(found)
    return Closure(texts, tuple(os.path.join(root, name) for name in sorted(seen)))


def _references(path: str, texts: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the files that one spec refers to, as posix paths below the specs folder."""
    data = _data(path, texts[path])
    if not isinstance(data, dict):
        return
    definitions = data.get("$defs")
    shared = definitions.values() if isinstance(definitions, dict) else ()
    for schema in (*(schema for _, schema in schemas_of(data)), *shared):
        for _, part in subschemas(schema):
            ref = part.get("$ref")
            written = ref.partition("#")[0] if isinstance(ref, str) else ""
            if not _ELSEWHERE.match(written) and "\0" not in unquote(written):
                found = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(written)))
                if found.split("/")[0] != "..":
                    yield found


def _may_be_shared(path: str, text: bytes) -> bool:
    """True unless this is a tool. A file that cannot be parsed is refused later, by `read`."""
    data = _data(path, text)
    return not isinstance(data, dict) or is_shared_file(data)


def _data(path: str, text: bytes) -> object:
    try:
        return read({path: text})[0].data
    except SpecErrors:
        return None


def files_below(folder: str) -> list[str]:
    """Return every file in a declared folder, sorted."""
    with DeclaredFolder(folder) as declared:
        return sorted(declared.full(entry.path) for entry in declared.walk())


def dependencies(outputs: Iterable[str], inputs: Iterable[str]) -> str:
    """Return a dependency file for Make and Ninja: `outputs: inputs`, sorted relative paths."""
    made = " ".join(_escaped(path) for path in sorted(map(_relative, outputs)))
    needed = (f" \\\n  {_escaped(path)}" for path in sorted(set(map(_relative, inputs))))
    return f"{made}:{''.join(needed)}\n"


def _relative(path: str) -> str:
    return os.path.normpath(path if not os.path.isabs(path) else os.path.relpath(path)).replace(os.sep, "/")


def _escaped(path: str) -> str:
    return re.sub(r"([ #])", r"\\\1", path.replace("$", "$$"))


def write_declared(
    out: str,
    generated: Mapping[str, str],
    others: Mapping[str, str],
    *,
    own: Container[str],
    inputs: Iterable[str],
) -> None:
    """Write all files, or none if one cannot be written; each of them atomically.

    Actions that run at the same time write other files, so there is no lock.

    Args:
        out: the folder of the generated files, which is made if necessary. No link below it leaves it.
        generated: path below `out` → text. A file is replaced only if toolgen generated it.
        others: path → text.
        own: paths of generated files that are replaced in any case.
        inputs: paths that may not be written.

    Raises:
        UnableError: nothing was written.
    """
    taken = {os.path.abspath(path) for path in inputs}
    for path in (*(os.path.join(out, each) for each in generated), *others):
        if os.path.abspath(path) in taken:
            raise UnableError(
                "usage", f"{path} would be written, but the command line names it for another purpose too"
            )
        taken.add(os.path.abspath(path))
    refuse_encodings(generated)
    try:
        with ExitStack() as opened, ExitStack() as undo:
            undo.callback(remove_empty, made := make_named(out))
            folder = opened.enter_context(WritableFolder(out))
            for path in (each for each in generated if each not in own):
                _refuse_foreign(folder, path)
            staged = [_stage(folder, path, text, undo) for path, text in generated.items()]
            for path, text in others.items():
                head, name = os.path.split(path)
                made += make_named(head)
                staged.append(_stage(opened.enter_context(WritableFolder(head)), name, text, undo))
            for file in staged:
                file.publish()
                undo.callback(_remove, file)
            undo.pop_all()
    except OSError as error:
        where = error.filename or "the output"
        raise UnableError(
            "cannot-write", f"cannot write {where}: {reason(error)}", "nothing was written"
        ) from error


def _stage(folder: WritableFolder, path: str, text: str, undo: ExitStack) -> StagedFile:
    if folder.kind(path) is FileKind.FOLDER:
        raise IsADirectoryError(21, "there is a folder of that name", folder.full(path))
    undo.callback(_remove_folders, folder, folder.make_folders(path.rpartition("/")[0]))
    staged = folder.stage(path, text.encode())
    undo.callback(staged.discard)
    return staged


def _remove(file: StagedFile) -> None:
    with suppress(OSError):
        file.folder.remove(file.target)


def _remove_folders(folder: WritableFolder, paths: Sequence[str]) -> None:
    for path in reversed(paths):
        with suppress(OSError):
            folder.remove_folder(path)


def _refuse_foreign(folder: Folder, path: str) -> None:
    shown = folder.full(path)
    try:
        content = folder.read(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):  # writing reports the last two
        return
    except OSError as error:
        raise UnableError("cannot-write", f"cannot read {shown}: {reason(error)}", "move it away") from error
    if HEADER.encode() not in content.partition(b"\n")[0]:
        hint = "choose another --out, or move it away"
        raise UnableError("foreign-file", f"a file in the way, not written by toolgen: {shown}", hint)
