"""Write several files of a project together: all of them, or none.

Everything that takes room or permission happens first, in a folder beside the files. Then renames put them in
place, so that nobody ever reads half a file.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgen.base.files import FileKind, OutsideError, WritableFolder, make_named, remove_empty
from toolgen.project import UnableError, reason
from toolgen.project.files.interrupts import uninterrupted
from toolgen.project.files.reading import kind_of, leaves, read_text

STAGE = ".toolgen-stage"


def create_files(root: Path, files: Mapping[str, str], append: bool = False) -> None:
    """Write new files below `root`, all or none; `UnableError` if one of them exists.

    With `append`, the texts go to the ends of files that are otherwise left byte for byte as they are.
    """
    if append:
        replace_files(root, {path: _with_end(root, path, text) for path, text in files.items()})
        return
    there = [path for path in files if kind_of(root, path) is not None]
    if there:
        verb = "exists" if len(there) == 1 else "exist"
        raise UnableError("file-exists", f"{', '.join(there)} {verb} already", "nothing was written")
    replace_files(root, files)


def _with_end(root: Path, path: str, addition: str) -> str:
    if kind_of(root, path) is FileKind.LINK:
        raise UnableError("cannot-write", f"{path} is a link", f"add this to it by hand:\n\n{addition}")
    text = read_text(root, path) or ""
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + (gap + addition).replace("\n", "\r\n" if "\r\n" in text else "\n")


def replace_files(root: Path, files: Mapping[str, str | None], *, below: str = "") -> None:
    """Write `files` (path → text) in their order; None removes a file. All of them, or none.

    The paths are relative to the folder `below`, itself relative to `root`; no link leaves either of them.

    Everything that takes room or permission happens first, in a folder beside the files: the new texts, and
    links to the old files for undoing. Then files are renamed one by one, which takes no room and never
    shows half a file. If the process is killed in between, each file is either old or new, and the stage
    stays behind until the next time.

    Raises `UnableError`; then nothing was changed.
    """
    made: list[Path] = []
    try:
        made += make_named(root)
        top = WritableFolder(root)
        inner = top.make_folders(below)
        try:
            folder = top.below(below)
            with folder.locked():
                _replace(folder, files)
        except BaseException:
            _remove_folders(top, inner[::-1])
            raise
    except OSError as error:
        remove_empty(made)
        if isinstance(error, OutsideError):
            raise leaves(root, error) from error
        path = str(error.filename or root)
        shown = root / below if STAGE in path else path
        raise UnableError(
            "cannot-write", f"cannot write {shown}: {reason(error)}", "nothing was changed"
        ) from error


@dataclass(frozen=True, slots=True)
class _Replacement:
    """One file to write or to remove, and how to undo that."""

    folder: WritableFolder
    target: str
    staged: str | None  # the new file; None: the old one is to be removed
    backup: str | None  # the file that was there

    def apply(self) -> None:
        if self.staged is not None:
            self.folder.rename(self.staged, self.target)
        elif self.backup is not None:
            self.folder.remove(self.target)

    def undo(self) -> None:
        if self.backup is not None:
            self.folder.rename(self.backup, self.target)
        else:
            with contextlib.suppress(FileNotFoundError):
                self.folder.remove(self.target)


def _replace(folder: WritableFolder, files: Mapping[str, str | None]) -> None:
    applied: list[_Replacement] = []
    made: list[str] = []
    if folder.kind(STAGE, links=False) is FileKind.LINK:
        raise NotADirectoryError(errno.ENOTDIR, "this is a link, and must be a folder", folder.full(STAGE))
    try:
        folder.remove_tree(STAGE)  # of a run that was killed
        folder.make_folders(STAGE)
        replacements = []
        for number, (path, text) in enumerate(files.items()):
            made += folder.make_folders(path.rpartition("/")[0])
            replacements.append(_prepare(folder, path, text, f"{STAGE}/{number}"))
        with uninterrupted():  # above all between a rename and the note of how to undo it
            for replacement in replacements:
                replacement.apply()
                applied.append(replacement)
            applied.clear()  # from here on, nothing is undone
    except BaseException:  # interrupted, too
        for replacement in reversed(applied):
            replacement.undo()
        _remove_folders(folder, made[::-1])
        folder.remove_tree(STAGE)
        raise
    _remove_empty_folders(folder, [path for path, text in files.items() if text is None])
    folder.remove_tree(STAGE)


def _prepare(folder: WritableFolder, target: str, text: str | None, staged: str) -> _Replacement:
    """Stage one file and back up what is there."""
    kind = folder.kind(target, links=False)
    if kind is FileKind.FOLDER:
        raise IsADirectoryError(errno.EISDIR, "there is a folder of that name", folder.full(target))
    backup = None if kind is None else f"{staged}.old"
    if backup is not None:
        folder.copy_name(target, backup)
    if text is None:
        return _Replacement(folder, target, None, backup)
    folder.create(staged, text.encode("utf-8", "surrogateescape"))
    return _Replacement(folder, target, staged, backup)


def _remove_empty_folders(folder: WritableFolder, removed: list[str]) -> None:
    """Remove the folders that the removed files leave empty."""
    for path in removed:
        parts = path.split("/")[:-1]
        _remove_folders(folder, ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)])


def _remove_folders(folder: WritableFolder, paths: list[str]) -> None:
    """Remove folders that are empty."""
    for path in paths:
        with contextlib.suppress(OSError):
            folder.remove_folder(path)
