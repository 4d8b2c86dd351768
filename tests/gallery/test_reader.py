"""Read-only SQL: statements that try to write, leave the database or exhaust resources are refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from examples.store.reader import Answer, Cell, InvalidSqlError, NotReadOnlyError, Reader, TooSlowError
from tests.processes import processor_limit

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
LONG_TEXT = "WITH RECURSIVE s(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM s WHERE length(x) < 40000) "

CHANGES = [
    "DELETE FROM items",
    "INSERT INTO items SELECT * FROM items",
    "WITH x AS (SELECT 1) DELETE FROM items",
    "EXPLAIN DELETE FROM items",
    "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x (y)",
    "CREATE VIRTUAL TABLE x USING fts5(y)",
    "BEGIN IMMEDIATE",
    "VACUUM",
    "DETACH main",
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
    "SELECT (SELECT body FROM content LIMIT 1) FROM items",
    "SELECT * FROM documents_index",
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
        "",
        "SELECT",
        "SELECT 1; DELETE FROM items",
        "SELECT 1\0; DELETE FROM items",
        "SELECT ? + 1",
        "SELECT '" + "x" * 20_000 + "'",
    ],
)
def test_invalid_statements_and_parameters_are_reported(reader: Reader, sql: str) -> None:
    with pytest.raises(InvalidSqlError, match=r"SQLite says: .+\.$|returns no columns"):
        ask(reader, sql)


def test_queries_are_answered(reader: Reader) -> None:
    answer = ask(reader, "SELECT category, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC, 1", limit=2)
    assert answer == Answer(["category", "n"], [["brakes", 4], ["wheels", 4]], truncated=True)
    assert ask(reader, "SELECT ?, ?, ?, ?", ["a", 1, 2.5, None]).rows == [["a", 1, 2.5, None]]
    assert ask(reader, "WITH t(x) AS (VALUES (1), (2)) SELECT count(*) FROM t").rows == [[2]]
    assert ask(reader, "SELECT value FROM documents, json_each(subjects) WHERE documents.id = 2").rows == [
        ["brakes"]
    ]
    assert ask(reader, "SELECT sku AS a, sku AS a FROM items ORDER BY 1 LIMIT 1").columns == ["a", "a"]
    assert not ask(reader, "SELECT sku FROM items LIMIT 3", limit=3).truncated


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


@pytest.mark.parametrize(
    "expression",
    [f"x LIKE '{'%a' * 45}%b'", "replace(x, substr(x, 1, 30000) || 'b', '')"],
)
def test_no_single_function_takes_long(reader: Reader, expression: str) -> None:
    with processor_limit(2):
        assert ask(reader, f"{LONG_TEXT}, t(x) AS (SELECT max(x) FROM s) SELECT {expression} FROM t").rows
