"""Read single files of a project, with the errors that a command reports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from toolgen.base.files import (
    MAX_BYTES,
    FileKind,
    Folder,
    OutsideError,
    OversizedFileError,
    WritableFolder,
    make_named,
)
from toolgen.project import UnableError, reason

_MISSING = (FileNotFoundError, NotADirectoryError)
_SIMPLE = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\.[a-z]+)?")


class RootedPath(NamedTuple):
    """A folder that may not be left, and a path below it."""

    root: Path
    path: str  # with `/`; empty: the folder itself

    def with_name(self, name: str) -> str:
        """Return the path of a file in this place."""
        return f"{self.path}/{name}" if self.path else name


def locate(root: Path, start: Path, named: str) -> RootedPath:
    """Return where `named`, a path on the command line, is for a command that was started in `start`.

    Below `root`, the folder of the project, it is a path that strangers may have made links of, so it may
    not leave that folder. Elsewhere the operator has chosen the folder. Raises `UnableError`.
    """
    path = Path(os.path.normpath(start.resolve() / named))
    for folder in (path, *path.parents):
        if folder.exists() and root.exists() and folder.samefile(root):
            below = "" if path == folder else path.relative_to(folder).as_posix()
            kind_of(root, below, links=True)  # refuses a link that leaves it
            return RootedPath(root, below)
    return RootedPath(path, "")


@contextmanager
def file_errors(
    root: Path, verb: str, path: str = "", *, code: str = "unreadable-file", hint: str = ""
) -> Iterator[None]:
    """Raise errors of the operating system as a command reports them: "cannot read specs/a.yaml: ..."

    Without `path`, it is the one that the error names, relative to `root`.
    """
    try:
        yield
    except OutsideError as error:
        raise leaves(root, error) from error
    except OSError as error:
        shown = path or os.path.relpath(error.filename or root, root)
        code = "too-complex" if isinstance(error, OversizedFileError) else code
        raise UnableError(code, f"cannot {verb} {shown}: {reason(error)}", hint) from error


def read_text(root: Path, path: str, *, limit: int = MAX_BYTES, code: str = "unreadable-file") -> str | None:
    """Return the UTF-8 text of the file `path` below `root`; None if there is no such file."""
    try:
        with file_errors(root, "read", path, code=code), suppress(*_MISSING):
            return Folder(root).read(path, limit=limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnableError(code, f"{path} is not UTF-8 text") from error
    return None


def kind_of(root: Path, path: str, *, links: bool = False) -> FileKind | None:
    """Return the kind of what is at `path` below `root`; None if nothing is. `links`: follow one."""
    with file_errors(root, "read", path), suppress(*_MISSING):
        return Folder(root).kind(path, links=links)
    return None


def names_in(root: Path, path: str) -> list[str]:
    """Return the names in the folder `path` below `root`, sorted; none if there is no such folder."""
    with file_errors(root, "list", path), suppress(*_MISSING):
        return [entry.name for entry in Folder(root).entries(path)]
    return []


def make_place(place: RootedPath) -> WritableFolder:
    """Return a folder to write to, which is created. Raises OSError."""
    make_named(place.root)
    top = WritableFolder(place.root)
    top.make_folders(place.path)
    return top.below(place.path)


def leaves(root: Path, error: OutsideError) -> UnableError:
    """Return the error about a link below `root` that leaves a folder."""
    path, folder = os.path.relpath(error.filename, root), Path(error.folder).name or "the folder"
    message = f"{path} is a link that leaves {folder}"
    return UnableError("outside-project", message, "put the file or folder itself there, or remove the link")


def is_inside(path: str) -> bool:
    """True if `path` is a relative posix path that stays below its folder."""
    if _SIMPLE.fullmatch(path):  # nearly all of them, and there are thousands
        return True
    pure = PurePosixPath(path)
    plain = path == pure.as_posix() and path.isprintable() and not pure.is_absolute()
    return plain and not {"\\", ":"} & set(path) and path != "." and ".." not in pure.parts
