"""Words of a person or a model, made into a full-text query that cannot be malformed."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

MAX_WORDS: Final = 16
WORD: Final = re.compile(r"[^\W_]+")


class NoSearchTermsError(Exception):
    """The query holds nothing that an index could look up."""


@dataclass(frozen=True, slots=True)
class Search:
    """One full-text search: the SQL is ours; only `words` and `parameters` come from outside."""

    words: tuple[str, ...]
    columns: str
    source: str  # FROM … WHERE …, with one MATCH ? first
    order: str
    parameters: tuple[Any, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of one page, how many there are in all, and whether every word had to match."""

    rows: tuple[sqlite3.Row, ...]
    total: int
    all_words: bool


def words_of(query: str) -> tuple[str, ...]:
    """The words of `query`, without operators or punctuation, at most sixteen.

    Raises NoSearchTermsError when there are none.
    """
    words = tuple(dict.fromkeys(WORD.findall(unicodedata.normalize("NFC", query).casefold())))[:MAX_WORDS]
    if not words:
        raise NoSearchTermsError(f"The query {query!r} holds no word to search for.")
    return words


def find(db: sqlite3.Connection, search: Search) -> Found:
    """Rows that hold every word; when there are none, rows that hold any of them."""
    found = _find(db, search, " AND ")
    if found.total or len(search.words) == 1:
        return found
    return _find(db, search, " OR ")


def _find(db: sqlite3.Connection, search: Search, operator: str) -> Found:
    # Each word is a quoted phrase: AND, NEAR, *, ^, : and parentheses lose their meaning inside quotes.
    match = operator.join(f'"{word}"' for word in search.words)
    parameters = (match, *search.parameters)
    (total,) = db.execute(f"SELECT count(*) {search.source}", parameters).fetchone()
    page = f"SELECT {search.columns} {search.source} ORDER BY {search.order} LIMIT ?"
    rows = db.execute(page, (*parameters, search.limit)).fetchall()
    return Found(tuple(rows), total, operator == " AND ")
