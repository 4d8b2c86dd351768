"""Fixtures of `toolgen test`: each session has a shop and a workspace of its own."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from toolgen.runtime import Toolkit

from examples.store import database
from examples.tools import context
from generated import catalog

_LAST_CHANGE = 1_577_880_000  # 2020-01-01 12:00 UTC


def toolgen_toolkit(folder: Path) -> Toolkit:
    """Return the tools with fresh data in `folder`."""
    shutil.copytree(_fresh_data(), folder, dirs_exist_ok=True)
    return catalog.toolkit(context=context(folder))


def toolgen_state(folder: Path) -> dict[str, Any]:
    """Return all rows of all tables, and all files of the workspace."""
    with closing(database.connect(database.database(folder))) as db:
        rows = {name: [list(row) for row in db.execute(f"SELECT * FROM {name}")] for name in _tables(db)}
    workspace = database.workspace_folder(folder)
    files = {
        path.relative_to(workspace).as_posix(): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in sorted(workspace.rglob("*"))
        if path.is_file()
    }
    return {**rows, "files": files}


def _tables(db: sqlite3.Connection) -> list[str]:
    """Return the names of all tables, without those of the full-text index."""
    return sorted(row["name"] for row in db.execute("PRAGMA table_list") if row["type"] == "table")


@cache
def _fresh_data() -> Path:
    """Return a folder with the data as it is at first; copying is faster than creating it."""
    folder = Path(tempfile.mkdtemp(prefix="toolgen-gallery-"))
    database.database(folder)
    for path in database.workspace_folder(folder).rglob("*"):
        os.utime(path, (_LAST_CHANGE, _LAST_CHANGE))  # `ls -l` shows it
    return folder
