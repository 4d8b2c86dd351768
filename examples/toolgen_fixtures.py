"""Fixtures of `toolgen test`: each session has a shop and a workspace of its own."""

from __future__ import annotations

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


def toolgen_toolkit(folder: Path) -> Toolkit:
    """Return the tools with fresh data in `folder`."""
    shutil.copytree(_fresh_data(), folder, dirs_exist_ok=True)
    return catalog.toolkit(context=context(folder))


def toolgen_state(folder: Path) -> dict[str, Any]:
    """Return all rows of all tables, and all files of the workspace."""
    with closing(database.connect(database.database(folder))) as db:
        names = [row["name"] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: [list(row) for row in _rows(db, name)] for name in sorted(names)}
    workspace = database.workspace_folder(folder)
    files = {
        path.relative_to(workspace).as_posix(): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in sorted(workspace.rglob("*"))
        if path.is_file()
    }
    return {**rows, "files": files}


def _rows(db: sqlite3.Connection, table: str) -> list[Any]:
    try:
        return db.execute(f'SELECT * FROM "{table}"').fetchall()
    except sqlite3.Error:  # a table of the full-text index that cannot be read
        return []


@cache
def _fresh_data() -> Path:
    """Return a folder with the data as it is at first; copying is faster than creating it."""
    folder = Path(tempfile.mkdtemp(prefix="toolgen-gallery-"))
    database.database(folder)
    database.workspace_folder(folder)
    return folder
