"""The shop's data folder and database. Both are created on first use."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from . import schema

DATA_VARIABLE: Final = "TOOLGEN_EXAMPLES_DATA"
SEED: Final = Path(__file__).parent / "data"
BUSY_SECONDS: Final = 5.0


def data_folder() -> Path:
    """Return the folder in `TOOLGEN_EXAMPLES_DATA`, or one in the user's data folder; create it."""
    named = os.environ.get(DATA_VARIABLE)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(named) if named else Path(base) / "toolgen-examples"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def database(folder: Path) -> Path:
    """Return the path of the shop's database below `folder`; create and fill it if it is missing.

    Each version of the tables has its own file, so that demo data need not be converted or deleted.
    """
    path = folder / f"shop-{schema.VERSION}.sqlite3"
    with closing(connect(path)) as db:
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            fill(db)
    return path


def connect(path: Path) -> sqlite3.Connection:
    """Open the database for reading and writing; use `transaction` for transactions.

    A context factory may open the connection in another thread than the one that works with it. That is safe
    as long as one call has one connection and nobody shares it, which is why `check_same_thread` is off.
    """
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run a transaction that takes the write lock at its start, so that what it reads stays valid."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def workspace_folder(folder: Path) -> Path:
    """Return the workspace below `folder`; copy it from the sample files if it is missing."""
    path = folder / "workspace"
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            copy = Path(scratch) / "workspace"
            shutil.copytree(SEED / "workspace", copy)
            try:
                copy.rename(path)
            except OSError:
                if not path.is_dir():  # otherwise another process has created it meanwhile
                    raise
    return path


def fill(db: sqlite3.Connection) -> None:
    """Create and fill the tables in one transaction; a concurrent second call finds it done."""
    with transaction(db):
        if db.execute("PRAGMA user_version").fetchone()[0] != 0:
            return
        for statement in schema.STATEMENTS:
            db.execute(statement)
        for table in schema.SEEDED_TABLES:
            rows = json.loads((SEED / f"{table}.json").read_text(encoding="utf-8"))
            for row in rows:
                insert(db, table, row)
        for statement in schema.INDEXING:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {schema.VERSION}")


def insert(db: sqlite3.Connection, table: str, row: dict[str, Any]) -> int:
    """Insert a row. Names come from this package, never from a caller. Lists are stored as JSON."""
    values = [json.dumps(value) if isinstance(value, list) else value for value in row.values()]
    marks = ", ".join("?" * len(values))
    cursor = db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", values)
    return cursor.lastrowid or 0
