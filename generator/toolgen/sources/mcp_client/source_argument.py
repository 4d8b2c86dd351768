"""Read a SOURCE on the command line: a URL, a file or folder, or a command that starts a server."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_DATA: Final = (".json", ".jsonl", ".yaml", ".yml")
"""Suffixes of files that are data, though a file system without modes says that they can be run."""


class CommandWords(str):
    """A command of the words after `--` on a command line: never a file, a ref or a URL."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ServerSource:
    """A running MCP server, at a URL or behind a command."""

    text: str
    is_command: bool


def read_source(text: str, start: str = ".") -> ServerSource | Path:
    """Return what `text` names, for a command that was started in the folder `start`.

    A URL, a file or folder that cannot be run (its path), or else a command: one quoted word, or everything
    after `--`. Nothing is run.
    """
    if isinstance(text, CommandWords):
        return ServerSource(str(text), is_command=True)
    if text.startswith(("http://", "https://")):
        return ServerSource(text, is_command=False)
    path = Path(start, text)
    if not exists(path):
        return ServerSource(text, is_command=True)
    # on file systems without modes, such as mounts of Windows, every file can be run
    if not path.is_file() or path.name.endswith(_DATA) or not os.access(path, os.X_OK):
        return path
    return ServerSource(shlex.quote(os.path.join(start, text)), is_command=True)  # ./server: with a separator


def exists(path: Path) -> bool:
    """True if there is a file or folder; false for a text that cannot be the name of one."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_missing_path(source: str, start: str) -> bool:
    """True if a SOURCE looks like a file or folder, and there is none. Words after `--` are a command."""
    looks_like_a_path = not re.search(r"\s", source) and (source.endswith((*_DATA, ".lock")) or "/" in source)
    return looks_like_a_path and not isinstance(source, CommandWords) and not exists(Path(start, source))
