"""State that a tool keeps between calls: JSON values by name, in one SQLite database for each tool."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from .errors import MissingDependencyError

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_PATIENCE: Final = 3600.0  # seconds that a change waits for others
_CREATE: Final = "CREATE TABLE IF NOT EXISTS checkpoints (name TEXT PRIMARY KEY, data TEXT) WITHOUT ROWID"

_held = threading.local()  # `paths`: the databases that this thread is changing


class CheckpointError(Exception):
    """A checkpoint cannot be used: its name is not valid, its data is not JSON, or its file is damaged."""


class Checkpoint:
    """The checkpoints of one tool, in its own database below the configured folder.

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

        Raises CheckpointError if the name is not valid or the data is not JSON, and sqlite3.Error.
        """
        self.update(name, lambda _: data)

    def update(self, name: str, change: Callable[[Any], Any], default: Any = None) -> Any:
        """Replace the data saved as `name` by `change(data)`, and return the new data.

        No other change of the tool's checkpoints happens meanwhile, in this process or another one on the
        same machine.

        Args:
            name: the name of the checkpoint.
            change: returns the new data, a JSON value. If it raises, nothing is changed. It runs while others
                wait, and cannot change a checkpoint itself.
            default: what `change` gets if nothing is saved.

        Raises CheckpointError as `load` and `save` do, also on a file system without locks.
        """
        with self._changing(name) as database:
            data = change(_load(database, name, default))
            try:
                text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode().decode()
            except (TypeError, ValueError, RecursionError) as error:
                raise CheckpointError(f"checkpoint {name!r} is not JSON: {error}") from None
            database.execute("REPLACE INTO checkpoints VALUES (?, ?)", (name, text))
        return data

    def load(self, name: str, default: Any = None) -> Any:
        """Return the data saved as `name`, or `default`. Raises CheckpointError."""
        _check_name(name)
        with closing(self._open()) as database:
            return _load(database, name, default)

    def delete(self, name: str) -> None:
        """Delete `name` if it exists."""
        with self._changing(name) as database:
            database.execute("DELETE FROM checkpoints WHERE name = ?", (name,))

    def names(self) -> list[str]:
        """Return the names of all checkpoints, sorted."""
        with closing(self._open()) as database:
            return [name for (name,) in database.execute("SELECT name FROM checkpoints ORDER BY name")]

    @contextmanager
    def _changing(self, name: str) -> Iterator[sqlite3.Connection]:
        """Open the database for a change, which waits for others. Raises CheckpointError inside of one."""
        _check_name(name)
        paths: set[Path] = _held.__dict__.setdefault("paths", set())
        if (path := self._path()) in paths:
            raise CheckpointError(f"checkpoint {name!r} is changed inside an update of {self._tool}")
        with closing(self._open("BEGIN IMMEDIATE")) as database, database:
            paths.add(path)
            try:
                yield database
            finally:
                paths.discard(path)

    def _open(self, begin: str = "") -> sqlite3.Connection:
        path = self._path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)  # SQLite would let other users read it
        database = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            database.execute(_CREATE)
            database.execute(begin)
        except sqlite3.Error as error:
            database.close()
            raise CheckpointError(f"the checkpoints of {self._tool} cannot be used: {error}") from error
        return database

    def _path(self) -> Path:
        if self._root is None:
            raise MissingDependencyError(
                f"The application has not configured a checkpoint folder, which {self._tool} needs.",
                details={"name": "checkpoint"},
            )
        if not _NAME.fullmatch(self._tool):
            raise CheckpointError(f"{self._tool!r} cannot be the name of a file")
        return Path(self._root) / f"{self._tool}.sqlite"


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise CheckpointError(
            f"{name!r} is not a valid name of a checkpoint: use at most 100 letters, digits, '_', '-' "
            "and '.', and do not begin with '.'"
        )


def _load(database: sqlite3.Connection, name: str, default: Any) -> Any:
    row = database.execute("SELECT data FROM checkpoints WHERE name = ?", (name,)).fetchone()
    return default if row is None else json.loads(row[0])
