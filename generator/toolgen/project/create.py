"""New files for `init` and `new`: never in place of one that is there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from toolgen.project.commit import commit
from toolgen.project.fast import read_bytes
from toolgen.project.fault import UnableError, reason


def create_files(root: Path, files: Mapping[str, str], append: bool = False) -> None:
    """Write new files below `root`, all or none; `UnableError` where one of them is there already.

    With `append`, the texts go to the ends of files that are otherwise left byte for byte as they are.
    """
    if append:
        commit(root, {path: _with_end(root, path, text) for path, text in files.items()}, {})
        return
    there = [path for path in files if os.path.lexists(root / path)]
    if there:
        verb = "exists" if len(there) == 1 else "exist"
        raise UnableError("file-exists", f"{', '.join(there)} {verb} already", "nothing was written")
    commit(root, files, {})


def _with_end(root: Path, path: str, addition: str) -> str:
    if (root / path).is_symlink():
        raise UnableError("cannot-write", f"{path} is a link", f"add this to it by hand:\n\n{addition}")
    text = read_text(root, path) or ""
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return text + (gap + addition).replace("\n", "\r\n" if "\r\n" in text else "\n")


def read_text(root: Path, path: str) -> str | None:
    """A file of the project as text; None where there is none."""
    try:
        return read_bytes(str(root / path)).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnableError("unreadable-file", f"cannot read {path}: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise UnableError("unreadable-file", f"{path} is not UTF-8 text") from error
