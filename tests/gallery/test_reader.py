"""Read-only SQL: statements that try to write, leave the database or exhaust resources are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from examples.store.reader import Answer, Cell, InvalidSqlError, NotReadOnlyError, Reader, TooSlowError
from tests.processes import processor_limit

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

CHANGES = [
    "DELETE FROM items",
    "WITH x AS (SELECT 1) DELETE FROM items",
    "EXPLAIN DELETE FROM items",
    "CREATE TABLE x (y)",
    "VACUUM",
]
REACHES = [
    "ATTACH ':memory:' AS x",
    "PRAGMA writable_schema = ON",
    "SELECT * FROM pragma_table_info('items')",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT printf('%.*c', 2000000000, 'x')",
    "SELECT sql FROM sqlite_master",
    "SELECT body FROM content WHERE status = 'draft'",
]


def ask(reader: Reader, sql: str, parameters: Sequence[Cell] = (), limit: int = 100) -> Answer:
    return reader.ask(sql, parameters, limit)


def refused(fault: Exception) -> bool:
    return isinstance(fault, NotReadOnlyError) or "no such function: readfile" in str(fault)


@pytest.mark.parametrize("sql", CHANGES + REACHES)
def test_statements_that_could_write_are_refused(reader: Reader, sql: str) -> None:
    before = hashlib.sha256(reader.path.read_bytes()).hexdigest()
    with pytest.raises((NotReadOnlyError, InvalidSqlError)) as caught:
        ask(reader, sql)
    assert refused(caught.value), caught.value
    assert hashlib.sha256(reader.path.read_bytes()).hexdigest() == before
    assert [path.name for path in reader.path.parent.iterdir()] == [reader.path.name]


@pytest.mark.parametrize("statement", ["ATTACH '{}' AS x", "VACUUM INTO '{}'"])
def test_a_statement_cannot_create_a_file(reader: Reader, tmp_path: Path, statement: str) -> None:
    target = tmp_path / "made.sqlite3"
    with pytest.raises(NotReadOnlyError):
        ask(reader, statement.format(target))
    assert not target.exists()


@pytest.mark.parametrize(
    "sql",
    [
        ENDLESS,
        "SELECT a.name FROM items a, items b, items c, items d, items e, items f, items g ORDER BY names",
    ],
)
def test_time_is_limited(reader: Reader, sql: str) -> None:
    sql = sql.replace("names", "a.name || b.name || c.name || d.name || e.name || f.name || g.name")
    with processor_limit(2), pytest.raises(TooSlowError):
        ask(Reader(reader.path, max_seconds=0.2), sql)
