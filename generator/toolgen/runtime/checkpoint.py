"""State that a tool keeps between calls: one JSON file a name, replaced whole or not at all."""

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
    """A checkpoint that cannot be used: a bad name, data that is not JSON, a file that was damaged."""


class Checkpoint:
    """The checkpoints of one tool, in a folder of its own below the configured one.

    Without a configured folder, every method raises ToolError `missing_dependency`. Methods block for as
    long as the disk takes; an `async def` that saves much does so by `asyncio.to_thread`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, tool_name: str) -> None:
        self._root = folder
        self._tool = tool_name

    def save(self, name: str, data: Any) -> None:
        """Write `data`, a JSON value, as `name`. Readers see the old value or the new one, never a part.

        Raises CheckpointError for a bad name or data that is not JSON, OSError as the disk does.
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
        """What was saved as `name`, `default` if nothing was. Raises CheckpointError, OSError."""
        try:
            with open(os.open(self._path(name), os.O_RDONLY | _NO_LINKS), "rb") as file:
                return json.loads(file.read())
        except FileNotFoundError:
            return default
        except ValueError as error:
            raise CheckpointError(f"checkpoint {name!r} is damaged: {error}") from None

    def delete(self, name: str) -> None:
        """Forget `name`, if it is there."""
        self._path(name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        """What was saved and not deleted, sorted."""
        folder = self._folder()
        if not folder.is_dir():
            return []
        found = (path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))
        return sorted(name for name in found if _NAME.fullmatch(name))

    def _path(self, name: str) -> Path:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise CheckpointError(
                f"{name!r} is no name of a checkpoint: use letters, digits, '_', '-' and '.', at most 100, "
                "not beginning with '.'"
            )
        return self._folder() / f"{name}{_SUFFIX}"

    def _folder(self) -> Path:
        if self._root is None:
            raise MissingDependencyError(
                f"The application has configured no checkpoint folder, which {self._tool} needs.",
                details={"name": "checkpoint"},
            )
        if not _NAME.fullmatch(self._tool):
            raise CheckpointError(f"{self._tool!r} cannot be the name of a folder")
        return Path(self._root) / self._tool
