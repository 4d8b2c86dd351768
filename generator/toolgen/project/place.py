"""Declared outputs: written by one action of a build system, which waits for no other."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress

from toolgen.project.fault import UnableError, reason
from toolgen.project.output import HEADER, refuse_encodings


def place(files: Mapping[str, str], guarded: Iterable[str], inputs: Iterable[str]) -> None:
    """Write `files`, path → text: all or, where one cannot be written, none; each whole at every moment.

    Those in `guarded` replace nothing but what toolgen generated; none may be one of `inputs`. No lock and no
    file is shared: actions that run at the same time write other files. `UnableError`: nothing was written.
    """
    taken = {os.path.abspath(path) for path in inputs}
    for path in files:
        if os.path.abspath(path) in taken:
            raise UnableError(
                "usage", f"{path} is to be written, and is something else on the same command line"
            )
        taken.add(os.path.abspath(path))
    for path in guarded:
        _refuse_foreign(path)
    refuse_encodings(files)
    try:
        with ExitStack() as undo:
            staged = {path: _stage(path, text, undo) for path, text in files.items()}
            for path, temporary in staged.items():
                os.replace(temporary, path)
                undo.callback(_remove, path)
            undo.pop_all()
    except OSError as error:
        where = error.filename2 or error.filename or "the output"
        raise UnableError(
            "cannot-write", f"cannot write {where}: {reason(error)}", "nothing was written"
        ) from error


def _stage(path: str, text: str, undo: ExitStack) -> str:
    """`text` in a file beside `path`, which has only to be renamed."""
    if os.path.isdir(path):
        raise IsADirectoryError(21, "there is a folder of that name", path)
    folder = os.path.dirname(path) or "."
    _make(folder, undo)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")
    undo.callback(_remove, temporary)
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.chmod(temporary, 0o644)  # whatever the umask says
    return temporary


def _make(folder: str, undo: ExitStack) -> None:
    if folder in ("", os.sep) or os.path.isdir(folder):
        return
    _make(os.path.dirname(folder), undo)
    with suppress(FileExistsError):  # made by another action, just now
        os.mkdir(folder)
        undo.callback(_remove_folder, folder)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _remove_folder(path: str) -> None:
    with suppress(OSError):
        os.rmdir(path)


def _refuse_foreign(path: str) -> None:
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise UnableError("cannot-write", f"not a regular file: {path}", "move it away")
    try:
        with open(path, "rb") as file:
            line = file.readline(1000)
    except (
        FileNotFoundError,
        NotADirectoryError,
        IsADirectoryError,
    ):  # the last two are told when it is written
        return
    except OSError as error:
        raise UnableError("cannot-write", f"cannot read {path}: {reason(error)}") from error
    if HEADER.encode() not in line:
        hint = "choose another --out, or move it away"
        raise UnableError("foreign-file", f"a file in the way, not written by toolgen: {path}", hint)
