"""Files replaced together: all of them, or none; each one whole at every moment."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from toolgen.project.fault import UnableError, reason
from toolgen.project.interrupts import uninterrupted
from toolgen.project.journal import JOURNAL, STAGE, read_journal, write_journal


def commit(root: Path, files: Mapping[str, str | None], journal: Mapping[str, str]) -> None:
    """Write `files` below `root`, in their order; None removes one. `UnableError`: nothing was changed.

    Everything that takes room or permission happens first, in a folder beside the files: the new texts, and
    links to the old ones to go back to. Then files change place one by one, which neither takes room nor
    shows anybody half a file. Killed in between, the stage stays behind with `journal` (path → hash of what
    is being written): the next run knows these files for ours, and removes the stage.
    """
    missing = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with locked(root):
            _commit(root, files, journal)
    except OSError as error:
        for folder in missing:
            with contextlib.suppress(OSError):
                folder.rmdir()
        where = _where(root, error)
        raise UnableError(
            "cannot-write", f"cannot write {where}: {reason(error)}", "nothing was changed"
        ) from error


def _commit(root: Path, files: Mapping[str, str | None], journal: Mapping[str, str]) -> None:
    stage = root / STAGE
    made: list[Path] = []
    undo: list[Callable[[], None]] = []
    if stage.is_symlink():
        raise NotADirectoryError(20, "this is a link, and must be a folder", str(stage))
    left = read_journal(root)  # of a run that was killed: what it wrote is ours until we are done
    try:
        stage.mkdir(exist_ok=True)
        write_journal(stage, left, {path: journal.get(path) for path in files})
        _clear(stage)
        for number, (path, text) in enumerate(files.items()):
            _prepare(root, path, text, stage / str(number), made)
        with uninterrupted():  # between a file's move and the note of how to undo it, above all
            for number, (path, text) in enumerate(files.items()):
                undo.append(_put(root / path, text is not None, stage / str(number)))
            undo.clear()  # all or nothing: from here on, it is all
    except BaseException:  # also when interrupted: then nothing has happened either, or everything
        for step in reversed(undo):
            step()
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        _clear(stage)
        if not left:
            _remove(stage)
        raise
    _clear(stage)
    _prune(root, [*left, *(path for path, text in files.items() if text is None)])
    _remove(stage)


def _clear(stage: Path) -> None:
    """Remove everything that is staged, and keep the journal."""
    import shutil  # dear, and only for those who write

    with contextlib.suppress(OSError):
        for entry in list(os.scandir(stage)):
            if entry.name != JOURNAL and entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != JOURNAL:
                os.unlink(entry.path)


def _remove(stage: Path) -> None:
    with contextlib.suppress(OSError):
        (stage / JOURNAL).unlink(missing_ok=True)
        stage.rmdir()


def _prepare(root: Path, path: str, text: str | None, staged: Path, made: list[Path]) -> None:
    target = root / path
    if target.is_dir() and not target.is_symlink():
        raise IsADirectoryError(21, "there is a folder of that name", str(target))
    for folder in reversed([p for p in target.parents if p.is_relative_to(root)]):
        if not folder.exists():
            folder.mkdir()
            made.append(folder)
    if os.path.lexists(target):
        _keep(target, staged.with_suffix(".old"))
    if text is not None:
        with open(staged, "wb", buffering=0) as file:
            file.write(text.encode("utf-8", "surrogateescape"))
        staged.chmod(0o644)


def _keep(target: Path, old: Path) -> None:
    import shutil

    try:
        os.link(target, old, follow_symlinks=False)
    except (OSError, NotImplementedError):  # a file system without links
        shutil.copy2(target, old, follow_symlinks=False)


def _put(target: Path, wanted: bool, staged: Path) -> Callable[[], None]:
    """Put one file in its place, or remove it; returns how to take that back."""
    old = staged.with_suffix(".old")
    had = os.path.lexists(old)
    if wanted:
        os.replace(staged, target)
    elif had:
        target.unlink()
    return (lambda: os.replace(old, target)) if had else (lambda: target.unlink(missing_ok=True))


def _prune(root: Path, removed: list[str]) -> None:
    """Remove the folders below `root` that the removed files leave empty."""
    for path in removed:
        for folder in (root / path).parents:
            if folder == root:
                break
            with contextlib.suppress(OSError):
                folder.rmdir()


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Two runs on one folder wait for each other, where the platform can lock a folder."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network's file system may have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _where(root: Path, error: OSError) -> str:
    name = str(error.filename or root)
    return name if STAGE not in name else str(root)
