"""Read single files of a project, with the errors that a command reports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from toolgen.base.files import MAX_BYTES, FileKind, Folder, OutsideError, OversizedFileError
from toolgen.project.errors import UnableError, reason

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
    not leave that folder. Elsewhere the operator has chosen the folder.
    """
    path = Path(os.path.normpath(start.resolve() / named))
    for folder in (path, *path.parents):
        if folder.exists() and root.exists() and folder.samefile(root):
            return RootedPath(root, "" if path == folder else path.relative_to(folder).as_posix())
    return RootedPath(path, "")


@contextmanager
def _errors_of(root: Path, what: str, code: str = "unreadable-file") -> Iterator[None]:
    """Raise errors as a command reports them; end the block quietly where nothing is there."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OutsideError as error:
        raise leaves(root, error) from error
    except OSError as error:
        code = code if isinstance(error, OversizedFileError) else "unreadable-file"
        raise UnableError(code, f"cannot {what}: {reason(error)}") from error


def read_text(root: Path, path: str, *, limit: int = MAX_BYTES) -> str | None:
    """Return the UTF-8 text of the file `path` below `root`; None if there is no such file."""
    # a file that is too large for its purpose is not unreadable
    code = "unreadable-file" if limit == MAX_BYTES else "too-complex"
    try:
        with _errors_of(root, f"read {path}", code), Folder(root) as folder:
            return folder.read(path, limit=limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnableError("unreadable-file", f"{path} is not UTF-8 text") from error
    return None


def kind_of(root: Path, path: str, *, links: bool = False) -> FileKind | None:
    """Return the kind of what is at `path` below `root`; None if nothing is. `links`: follow one."""
    with _errors_of(root, f"read {path}"), Folder(root) as folder:
        return folder.kind(path, links=links)
    return None


def names_in(root: Path, path: str) -> list[str]:
    """Return the names in the folder `path` below `root`, sorted; none if there is no such folder."""
    with _errors_of(root, f"list {path}"), Folder(root) as folder:
        return [entry.name for entry in folder.entries(path)]
    return []


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
