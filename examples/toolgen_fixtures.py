"""Fixtures of `toolgen test`: each session has a shop and a workspace of its own.

The workspace has more files than the demo, in the folder `archive`, and its limits are low, so that calls
reach both sides of each. The command `uniq` is a script that does what commands seldom do; `find` is one that
sorts its output, whose order depends on the file system.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from toolgen.runtime import Toolkit

from examples.store import database, schema
from examples.store.commands import SYSTEM_PATH
from examples.store.workspace import Limits
from examples.tools import context
from generated import catalog

LIMITS: Final = Limits(file_bytes=4_000, files=10, total_bytes=8_000, depth=4, pattern_seconds=1.0)
_DATABASE: Final = f"shop-{schema.VERSION}.sqlite3"
_WORKSPACE: Final = "workspace"
_MAX_OUTPUT: Final = 1_000  # bytes of a command
_LAST_CHANGE: Final = 1_577_880_000  # 2020-01-01 12:00 UTC
_FILES: Final = {
    **{f"full/{number}.txt": b"One of as many files as a search may read\n" for number in range(10)},
    "more/one.txt": b"One more\n",
    "size/a.txt": b"a" * 4_000,
    "size/b.txt": b"b" * 3_999 + b"\n",
    "size/c.txt": b"c",
    "mixed/.hidden.txt": b"found\n",
    "mixed/a\\b.txt": b"found\n",
    "mixed/binary.dat": b"found\0\n",
    "mixed/large.txt": b"found" + b"\n" * 3_996,
    "mixed/latin.txt": b"found caf\xe9\n",
    "mixed/lines.txt": b"found \r\nnot here\r\n\r\nFOUND at the end\r\n",
    "mixed/pages.txt": "One page\fThe next page\r\nHauptstraße, found\r\nno line end".encode(),
    "mixed/long.txt": b"found " + b"x" * 294 + b"\nfound " + b"x" * 295 + b"\n",
    "mixed/wide.txt": b"found " + b"x" * 114 + b"\nfound " + b"x" * 115 + b"\n",
    "mixed/deep/four/text.txt": b"found\n",
    "mixed/deep/four/five/text.txt": b"found\n",
    "slow/text.txt": b"a" * 60 + b"!\n",
}
_UNIQ: Final = """#!/bin/sh
case "$*" in
  "-c --") printf 'first\\n'; sleep 0.2; printf 'careful\\n' >&2; sleep 0.2; printf 'second\\n'; exit 3 ;;
  "-d --") sleep 100 & printf 'a child goes on\\n' ;;
  "-u --") printf 'caf\\351\\n'; printf 'na\\357ve\\n' >&2 ;;
  "-i --") kill -TERM $$ ;;
  "-c -c --") printf '%01000d' 0 ;;
  "-d -d --") printf '%01001d' 0 ;;
  "-u -u --") printf '%01000d' 0 >&2 ;;
  "-i -i --") exec sleep 100 ;;
esac
"""
_FIND: Final = """#!/bin/sh
found=$(PATH=${PATH#*:} command -p find "$@")
code=$?
[ -z "$found" ] || printf '%s\\n' "$found" | LC_ALL=C sort
exit $code
"""


def toolgen_toolkit(folder: Path) -> Toolkit:
    """Return the tools with fresh data in `folder`."""
    fresh = _fresh_data().folder
    shutil.copytree(fresh, folder, symlinks=True, copy_function=_copy, dirs_exist_ok=True)
    values = context(folder)
    limited = {
        "workspace": _changed(values["workspace"], limits=LIMITS),
        "reader": _changed(values["reader"], max_seconds=0.2, max_characters=2_000),
        "runner": _changed(
            values["runner"], path=f"{folder / 'commands'}:{SYSTEM_PATH}", max_output=_MAX_OUTPUT
        ),
    }
    return catalog.toolkit(context={**values, **limited})


def toolgen_state(folder: Path) -> dict[str, Any]:
    """Return all rows of all tables, and all files of the workspace."""
    fresh, file = _fresh_data(), folder / _DATABASE
    # SQLite writes every commit into the file, so the same bytes are the same rows.
    rows = fresh.rows if file.read_bytes() == fresh.database else _rows(file)
    return {**rows, "files": _files(folder / _WORKSPACE)}


def _rows(file: Path) -> dict[str, Any]:
    with closing(database.connect(file)) as db:
        return {name: [list(row) for row in db.execute(f"SELECT * FROM {name}")] for name in _tables(db)}


def _files(workspace: Path) -> dict[str, str]:
    paths = (os.path.join(folder, name) for folder, _, names in os.walk(workspace) for name in names)
    skipped = len(os.path.join(workspace, ""))
    files = {path[skipped:]: _read(path) for path in sorted(paths) if os.path.isfile(path)}
    return {name: data.decode("utf-8", "backslashreplace") for name, data in files.items()}


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:  # in half the time of `Path.read_bytes`
        return file.read()


def _copy(source: str, target: str) -> None:
    """Copy a file with what tests see of it, in half the time of `shutil.copy2`."""
    shutil.copyfile(source, target)
    status = os.stat(source)
    os.utime(target, (status.st_atime, status.st_mtime))
    os.chmod(target, status.st_mode)


def _changed(make: Callable[[], Any], **fields: Any) -> Callable[[], Any]:
    """Return a factory of the same value with other fields."""
    return lambda: replace(make(), **fields)


def _tables(db: sqlite3.Connection) -> list[str]:
    """Return the names of all tables, without those of the full-text index."""
    return sorted(row["name"] for row in db.execute("PRAGMA table_list") if row["type"] == "table")


@dataclass(frozen=True)
class _FreshData:
    """The data as it is at first. Copying it is faster than creating it."""

    folder: Path
    database: bytes
    rows: dict[str, Any]


@cache
def _fresh_data() -> _FreshData:
    folder = Path(tempfile.mkdtemp(prefix="toolgen-gallery-"))
    database.database(folder)
    workspace = database.workspace_folder(folder)
    for name, data in _FILES.items():
        file = workspace / "archive" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    (workspace / "archive" / "mixed" / "link.txt").symlink_to("lines.txt")
    (folder / "commands").mkdir()
    for name, script in (("uniq", _UNIQ), ("find", _FIND)):
        (folder / "commands" / name).write_text(script)
        (folder / "commands" / name).chmod(0o755)
    for path in workspace.rglob("*"):
        os.utime(path, (_LAST_CHANGE, _LAST_CHANGE))  # `ls -l` shows it
    file = folder / _DATABASE
    return _FreshData(folder, file.read_bytes(), _rows(file))
