"""State that a tool keeps between calls: one JSON file for each name, written atomically.

A lock on a file beside it (`.count.lock` for `count`) makes changes wait for each other, in threads and in
processes. The file stays: if it were removed, two processes could lock two files of the same name.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from toolgen.base.files import Folder

from .errors import MissingDependencyError

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_PATIENCE: Final = 3600.0  # seconds that a change waits for others
_SUFFIX = ".json"


class CheckpointError(Exception):
    """A checkpoint cannot be used: its name is not valid, its data is not JSON, or its file is damaged."""


class Checkpoint:
    """The checkpoints of one tool, in its own folder below the configured one.

    Without a configured folder, every method raises ToolError `missing_dependency`. Methods block while they
    use the disk or wait for a change by another thread or process; in an `async def`, use `asyncio.to_thread`
    for large data and slow changes.

    Two calls that `load`, compute and `save` at the same time lose one of the changes. Use `update`:

        count = context.checkpoint.update("count", lambda count: count + 1, 0)
    """

    def __init__(self, folder: str | os.PathLike[str] | None, tool_name: str) -> None:
        self._root = folder
        self._tool = tool_name

    def save(self, name: str, data: Any) -> None:
        """Write `data`, a JSON value, as `name`. Readers see either the old or the new value.

        Raises CheckpointError if the name is not valid or the data is not JSON, and OSError.
        """
        path = self._path(name)
        with _changing(path):
            self._write(path, name, data)

    def update(self, name: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Replace the data saved as `name` by `change(data)`, and return the new data.

        No other change of `name` happens meanwhile, in this process or another one on the same machine.

        Args:
            name: the name of the checkpoint.
            change: returns the new data, a JSON value. If it raises, nothing is changed. It runs while others
                wait, and cannot change the same checkpoint itself.
            default: what `change` gets if nothing is saved.

        Raises CheckpointError as `load` and `save` do, also on a file system without locks, and OSError.
        """
        path = self._path(name)
        with _changing(path):
            data = change(self.load(name, default))
            self._write(path, name, data)
        return data

    def _write(self, path: Path, name: str, data: Any) -> None:
        try:
            text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise CheckpointError(f"checkpoint {name!r} is not JSON: {error}") from None
        number, written = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        try:
            with open(number, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(written, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(written)
            raise

    def load(self, name: str, default: Any = None) -> Any:
        """Return the data saved as `name`, or `default`. Raises CheckpointError, OSError."""
        try:
            path = self._path(name)
            with Folder(path.parent) as folder:
                return json.loads(folder.read(path.name, links=False, limit=sys.maxsize - 1))
        except FileNotFoundError:
            return default
        except ValueError as error:
            raise CheckpointError(f"checkpoint {name!r} is damaged: {error}") from None

    def delete(self, name: str) -> None:
        """Delete `name` if it exists."""
        path = self._path(name)
        if path.exists():
            with _changing(path):
                path.unlink(missing_ok=True)

    def names(self) -> list[str]:
        """Return the names of all checkpoints, sorted."""
        folder = self._folder()
        if not folder.is_dir():
            return []
        found = (path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))
        return sorted(name for name in found if _NAME.fullmatch(name))

    def _path(self, name: str) -> Path:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise CheckpointError(
                f"{name!r} is not a valid name of a checkpoint: use at most 100 letters, digits, '_', '-' "
                "and '.', and do not begin with '.'"
            )
        return self._folder() / f"{name}{_SUFFIX}"

    def _folder(self) -> Path:
        if self._root is None:
            raise MissingDependencyError(
                f"The application has not configured a checkpoint folder, which {self._tool} needs.",
                details={"name": "checkpoint"},
            )
        if not _NAME.fullmatch(self._tool):
            raise CheckpointError(f"{self._tool!r} cannot be the name of a folder")
        return Path(self._root) / self._tool


_held = threading.local()  # `paths`: the checkpoints that this thread is changing


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    """Hold the lock of a checkpoint. Raises CheckpointError if this thread has it, or there can be none."""
    paths: set[Path] = _held.__dict__.setdefault("paths", set())
    if path in paths:
        raise CheckpointError(f"checkpoint {path.stem!r} is changed inside its own update")
    path.parent.mkdir(parents=True, exist_ok=True)
    # SQLite locks files in the same way on every operating system; it writes nothing into this one
    lock = sqlite3.connect(path.with_name(f".{path.stem}.lock"), timeout=_PATIENCE, isolation_level=None)
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise CheckpointError(f"checkpoint {path.stem!r} cannot be locked: {error}") from error
        paths.add(path)
        try:
            yield
        finally:
            paths.discard(path)
