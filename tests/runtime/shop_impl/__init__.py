"""The shop's tools, over SQLite in memory: a new database for each call."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def database() -> AsyncIterator[sqlite3.Connection]:
    """A database with two suppliers, open for one call."""
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.executescript(
        "create table supplier (id integer primary key, name text);"
        "insert into supplier values (1, 'Acme'), (2, 'Globex');"
        "create table line (sku text, quantity integer);"
    )
    try:
        yield db
    finally:
        db.close()


CONTEXT: Mapping[str, Any] = {"db": database}
