"""Write files atomically: one file by `write_atomically`, several together by `replace_files`.

`stage_file` is the only function of the package that writes: the content goes to a temporary file beside the
target, and a rename puts it in place, so that nobody ever reads half a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgen.project.errors import UnableError, reason
from toolgen.project.files.interrupts import uninterrupted
from toolgen.project.files.reading import is_inside, read_text

STAGE = ".toolgen-stage"
_JOURNAL = "journal.json"
TEMPORARY_SUFFIX = ".new"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A complete file that a rename puts in its place."""

    temporary: str
    target: str

    def publish(self) -> None:
        """Rename it to its target, replacing what is there."""
        os.replace(self.temporary, self.target)

    def discard(self) -> None:
        """Remove it; nothing happens if it was published."""
        with contextlib.suppress(OSError):
            os.unlink(self.temporary)


def stage_file(target: str, content: bytes, *, temporary: str | None = None, mode: int = 0o644) -> StagedFile:
    """Write `content` to a new file in the target's folder, or to `temporary` on the same file system.

    The file has the permissions `mode`, whatever the umask is. Raises OSError; then no file is left.
    """
    path = temporary or os.path.join(
        os.path.dirname(target), f".toolgen-{os.urandom(6).hex()}{TEMPORARY_SUFFIX}"
    )
    staged = StagedFile(path, target)
    handle = os.open(path, _FLAGS, mode)
    try:
        with open(handle, "wb", buffering=0) as file:
            file.write(content)
        os.chmod(path, mode)
    except BaseException:  # interrupted, too
        staged.discard()
        raise
    return staged


def write_atomically(path: str, content: bytes, *, mode: int = 0o644) -> None:
    """Write one file: a reader sees the old content or the new one, at every moment. Raises OSError."""
    staged = stage_file(path, content, mode=mode)
    try:
        staged.publish()
    except BaseException:  # interrupted, too
        staged.discard()
        raise


def create_files(root: Path, files: Mapping[str, str], append: bool = False) -> None:
    """Write new files below `root`, all or none; `UnableError` if one of them exists.

    With `append`, the texts go to the ends of files that are otherwise left byte for byte as they are.
    """
    if append:
        replace_files(root, {path: _with_end(root, path, text) for path, text in files.items()})
        return
    there = [path for path in files if os.path.lexists(root / path)]
    if there:
        verb = "exists" if len(there) == 1 else "exist"
        raise UnableError("file-exists", f"{', '.join(there)} {verb} already", "nothing was written")
    replace_files(root, files)


def _with_end(root: Path, path: str, addition: str) -> str:
    if (root / path).is_symlink():
        raise UnableError("cannot-write", f"{path} is a link", f"add this to it by hand:\n\n{addition}")
    text = read_text(root, path) or ""
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + (gap + addition).replace("\n", "\r\n" if "\r\n" in text else "\n")


def replace_files(
    root: Path, files: Mapping[str, str | None], digests: Mapping[str, str] | None = None
) -> None:
    """Write `files` (path → text) below `root`, in their order; None removes a file. All of them, or none.

    Everything that takes room or permission happens first, in a folder beside the files: the new texts, and
    links to the old files for undoing. Then files are renamed one by one, which takes no room and never
    shows half a file. If the process is killed in between, the stage stays behind with a journal of `digests`
    (path → sha256 of the new text): `read_journal` tells the next run which files are toolgen's own.

    Raises `UnableError`; then nothing was changed.
    """
    missing = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root):
            _replace(root, files, digests or {})
    except OSError as error:
        for folder in missing:
            with contextlib.suppress(OSError):
                folder.rmdir()
        path = str(error.filename or root)
        shown = root if STAGE in path else path
        raise UnableError(
            "cannot-write", f"cannot write {shown}: {reason(error)}", "nothing was changed"
        ) from error


@dataclass(frozen=True, slots=True)
class _Replacement:
    """One file to write or to remove, and how to undo that."""

    target: str
    staged: StagedFile | None  # None: the file is to be removed
    backup: str | None  # the file that was there

    def apply(self) -> None:
        if self.staged is not None:
            self.staged.publish()
        elif self.backup is not None:
            os.unlink(self.target)

    def undo(self) -> None:
        if self.backup is not None:
            os.replace(self.backup, self.target)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.target)


def _replace(root: Path, files: Mapping[str, str | None], digests: Mapping[str, str]) -> None:
    stage = root / STAGE
    folders = _Folders(str(root))
    applied: list[_Replacement] = []
    if stage.is_symlink():
        raise NotADirectoryError(20, "this is a link, and must be a folder", str(stage))
    earlier = read_journal(root)  # of a run that was killed: those files are toolgen's until this run ends
    try:
        stage.mkdir(exist_ok=True)
        _write_journal(stage, earlier, {path: digests.get(path) for path in files})
        _clear(stage)
        replacements = [
            _prepare(os.path.join(root, path), text, os.path.join(stage, str(number)), folders)
            for number, (path, text) in enumerate(files.items())
        ]
        with uninterrupted():  # above all between a rename and the note of how to undo it
            for replacement in replacements:
                replacement.apply()
                applied.append(replacement)
            applied.clear()  # from here on, nothing is undone
    except BaseException:  # interrupted, too
        for replacement in reversed(applied):
            replacement.undo()
        folders.undo()
        _clear(stage)
        if not earlier:
            _remove(stage)
        raise
    _clear(stage)
    _remove_empty_folders(root, [*earlier, *(path for path, text in files.items() if text is None)])
    _remove(stage)


class _Folders:
    """The folders of a run's files below `root`, each made and looked at once."""

    def __init__(self, root: str) -> None:
        self._known = {root}
        self._created: list[str] = []

    def ensure(self, folder: str) -> None:
        """Make `folder` and its parents, unless they exist."""
        if folder in self._known:
            return
        self.ensure(os.path.dirname(folder))
        if not os.path.exists(folder):
            os.mkdir(folder)
            self._created.append(folder)
        self._known.add(folder)

    def undo(self) -> None:
        """Remove the folders that this made, if they are empty."""
        for folder in reversed(self._created):
            with contextlib.suppress(OSError):
                os.rmdir(folder)


def _prepare(target: str, text: str | None, staged: str, folders: _Folders) -> _Replacement:
    """Stage one file and back up what is there."""
    folders.ensure(os.path.dirname(target))
    mode = _mode_of(target)
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "there is a folder of that name", target)
    backup = None if mode is None else f"{staged}.old"
    if backup is not None:
        _back_up(target, backup)
    if text is None:
        return _Replacement(target, None, backup)
    content = text.encode("utf-8", "surrogateescape")
    return _Replacement(target, stage_file(target, content, temporary=staged), backup)


def _mode_of(path: str) -> int | None:
    """Return the mode of what is at `path`, links not followed; None if nothing is."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def _back_up(target: str, backup: str) -> None:
    import shutil

    try:
        os.link(target, backup, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without links
        shutil.copy2(target, backup, follow_symlinks=False)


def _clear(stage: Path) -> None:
    """Remove everything from the stage but the journal."""
    import shutil  # expensive to import, and needed only for writing

    with contextlib.suppress(OSError):
        for entry in list(os.scandir(stage)):
            if entry.name != _JOURNAL and entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != _JOURNAL:
                os.unlink(entry.path)


def _remove(stage: Path) -> None:
    with contextlib.suppress(OSError):
        (stage / _JOURNAL).unlink(missing_ok=True)
        stage.rmdir()


def _remove_empty_folders(root: Path, removed: list[str]) -> None:
    """Remove the folders below `root` that the removed files leave empty."""
    for path in removed:
        for folder in (root / path).parents:
            if folder == root:
                break
            with contextlib.suppress(OSError):
                folder.rmdir()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder, where the platform can lock one."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network file system may have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def read_journal(root: Path) -> dict[str, list[str]]:
    """Return path → hashes of what killed runs may have left below `root`; no hash for a file to be removed.

    Holds only paths that stay below `root`; empty if there is no readable journal.
    """
    try:
        content = json.loads((root / STAGE / _JOURNAL).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, Mapping):
        return {}
    return {
        path: [digest for digest in digests if isinstance(digest, str)]
        for path, digests in content.items()
        if is_inside(path) and isinstance(digests, list)
    }


def _write_journal(stage: Path, earlier: Mapping[str, list[str]], coming: Mapping[str, str | None]) -> None:
    """Add `coming` (path → hash) to the `earlier` entries, atomically: a kill never loses these."""
    content = {path: list(digests) for path, digests in earlier.items()}
    for path, digest in coming.items():
        known = content.setdefault(path, [])
        if digest is not None and digest not in known:
            known.append(digest)
    write_atomically(str(stage / _JOURNAL), json.dumps(content).encode())
