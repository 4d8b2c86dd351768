"""Read-only SQL queries, limited in time and size.

The statement comes from a model, so nothing in it is trusted, and no single fence is: the file is opened
read-only, the connection is query-only, and an authorizer lets through nothing but SELECT on the
shop's own tables with functions from a list. SQLite asks it before anything runs.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .schema import REPORTING_TABLES

Cell = str | int | float | None

MAX_SECONDS: Final = 1.0
MAX_CHARACTERS: Final = 500_000
"""Maximum number of characters in one answer, all cells together, where the reader has no other limit."""

TABLES: Final = frozenset({*REPORTING_TABLES, "json_each", "json_tree"})
# No printf and format: a width of two thousand million takes seconds, and no limit stops them.
_FUNCTIONS: Final = """
    abs avg ceil ceiling char coalesce concat concat_ws count cume_dist date datetime dense_rank exp
    first_value floor glob group_concat hex ifnull iif instr json json_array json_array_length json_extract
    json_group_array json_group_object json_object json_quote json_type json_valid julianday lag last_value
    lead length like likely ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length
    percent_rank pow power quote rank replace round row_number rtrim sign sqrt strftime string_agg substr
    substring sum time timediff total trim trunc typeof unicode unixepoch unlikely upper -> ->>
"""
FUNCTIONS: Final = frozenset(_FUNCTIONS.split())
LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,  # bytes in a string, a blob or a row; what one function can work on
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}


class NotReadOnlyError(Exception):
    """The statement would write, or use a table or function that queries may not use."""


class InvalidSqlError(Exception):
    """The statement or its parameters are invalid."""


class TooSlowError(Exception):
    """The statement was stopped because its time was up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns and rows in the statement's order; `truncated` if there are more."""

    columns: list[str]
    rows: list[list[Cell]]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Reader:
    """Read-only access to a database file, which is opened for each query in the calling thread."""

    path: Path
    max_seconds: float = MAX_SECONDS
    max_characters: int = MAX_CHARACTERS

    def ask(self, sql: str, parameters: Sequence[Cell], limit: int) -> Answer:
        """Run one SELECT and return at most `limit` rows.

        Raises NotReadOnlyError, InvalidSqlError or TooSlowError.
        """
        with closing(self._open()) as db, _faults(db) as refused, _deadline(db, self.max_seconds):
            guard = _Guard(_closed_tables(db), refused)
            db.set_authorizer(guard.allow)
            cursor = db.execute(sql, tuple(parameters))
            if cursor.description is None:
                raise InvalidSqlError("The statement returns no columns; it has to be a SELECT.")
            return _answer(cursor, limit, self.max_characters)

    def _open(self) -> sqlite3.Connection:
        # as_uri escapes what a path may hold of `?` and `#`, so that mode=ro cannot be pushed out.
        db = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for category, most in LIMITS.items():
            db.setlimit(category, most)
        return db


def _closed_tables(db: sqlite3.Connection) -> frozenset[str]:
    """Return the tables of the file that queries may not use.

    Also wakes the JSON table functions: they register themselves on first use, with statements that the
    authorizer would refuse.
    """
    db.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    return frozenset(names - TABLES)


@dataclass(frozen=True, slots=True)
class _Guard:
    """The authorizer; reasons for a denial are appended to `refused`."""

    closed: frozenset[str]
    refused: list[str]

    def allow(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        """Return SQLITE_OK or SQLITE_DENY for an action of the statement that SQLite prepares."""
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            if self._readable((first or "").lower(), second or ""):
                return sqlite3.SQLITE_OK
            self.refused.append(f"the table {first!r} is not open to questions")
        elif action == sqlite3.SQLITE_FUNCTION:
            if (second or "").lower() in FUNCTIONS:
                return sqlite3.SQLITE_OK
            self.refused.append(f"the function {second!r} is not open to questions")
        else:
            self.refused.append("only SELECT is allowed")
        return sqlite3.SQLITE_DENY

    def _readable(self, table: str, column: str) -> bool:
        # Without a column, `table` may be the statement's own name: WITH t AS (…) SELECT count(*) FROM t.
        named_here = not column and table not in self.closed and not table.startswith("sqlite_")
        return table in TABLES or named_here


@contextmanager
def _faults(db: sqlite3.Connection) -> Iterator[list[str]]:
    """Translate SQLite's errors. A refusal by the authorizer has precedence over the error that it causes."""
    refused: list[str] = []
    try:
        yield refused
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as fault:
        if refused:
            raise NotReadOnlyError(f"Refused: {refused[0]}.") from fault
        name = getattr(fault, "sqlite_errorname", "")
        if name == "SQLITE_INTERRUPT":
            raise TooSlowError("The query was stopped: it took too long.") from fault
        if name.startswith(("SQLITE_READONLY", "SQLITE_AUTH")):
            raise NotReadOnlyError(f"Refused: {fault}.") from fault
        raise InvalidSqlError(_say(fault)) from fault


def _say(fault: Exception) -> str:
    if isinstance(fault, OverflowError):
        return "A parameter is a whole number of more than 64 bits."
    return f"SQLite says: {str(fault).rstrip('.')}."


@contextmanager
def _deadline(db: sqlite3.Connection, seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds
    every = 1_000  # steps of SQLite's virtual machine
    db.set_progress_handler(lambda: time.monotonic() > end, every)
    yield


def _answer(cursor: sqlite3.Cursor, limit: int, max_characters: int) -> Answer:
    rows: list[list[Cell]] = []
    size = 0
    columns = [str(column[0]) for column in cursor.description]
    for raw in cursor:
        row = [_cell(value) for value in raw]
        size += sum(len(cell) for cell in row if isinstance(cell, str))
        if len(rows) == limit or size > max_characters:
            return Answer(columns, rows, truncated=True)
        rows.append(row)
    return Answer(columns, rows, truncated=False)


def _cell(value: Any) -> Cell:
    """Return a cell as a JSON value: blobs as SQL literals (`x'00ff'`), infinities as text."""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, float) and not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"SQLite gave a {type(value).__name__}")
