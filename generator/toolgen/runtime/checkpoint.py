"""State that a tool keeps between calls: one JSON file for each name, written atomically."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from .errors import MissingDependencyError

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_SUFFIX = ".json"


class CheckpointError(Exception):
    """A checkpoint cannot be used: its name is not valid, its data is not JSON, or its file is damaged."""


class Checkpoint:
    """The checkpoints of one tool, in its own folder below the configured one.

    Without a configured folder, every method raises ToolError `missing_dependency`. Methods block while they
    use the disk; in an `async def`, save large data with `asyncio.to_thread`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, tool_name: str) -> None:
        self._root = folder
        self._tool = tool_name

    def save(self, name: str, data: Any) -> None:
        """Write `data`, a JSON value, as `name`. Readers see either the old or the new value.

        Raises CheckpointError if the name is not valid or the data is not JSON, and OSError.
        """
        path = self._path(name)
        try:
            text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise CheckpointError(f"checkpoint {name!r} is not JSON: {error}") from None
        path.parent.mkdir(parents=True, exist_ok=True)
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
            with open(os.open(self._path(name), os.O_RDONLY | _NO_LINKS), "rb") as file:
                return json.loads(file.read())
        except FileNotFoundError:
            return default
        except ValueError as error:
            raise CheckpointError(f"checkpoint {name!r} is damaged: {error}") from None

    def delete(self, name: str) -> None:
        """Delete `name` if it exists."""
        self._path(name).unlink(missing_ok=True)

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
