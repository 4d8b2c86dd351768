"""Full-text queries from any text; they are always well-formed."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

MAX_WORDS: Final = 16
WORD: Final = re.compile(r"[^\W_]+")


class NoSearchTermsError(Exception):
    """The query has no words."""


@dataclass(frozen=True, slots=True)
class Search:
    """One full-text search. The SQL is constant; `words` and `parameters` come from the caller."""

    words: tuple[str, ...]
    columns: str
    source: str  # FROM … WHERE …, with one MATCH ? first
    order: str
    parameters: tuple[Any, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of one page, the total number, and whether every word had to match."""

    rows: tuple[sqlite3.Row, ...]
    total: int
    all_words: bool


def words_of(query: str) -> tuple[str, ...]:
    """Return the words of `query`, without operators or punctuation, at most sixteen.

    Raises NoSearchTermsError when there are none.
    """
    words = tuple(dict.fromkeys(WORD.findall(unicodedata.normalize("NFC", query).casefold())))[:MAX_WORDS]
    if not words:
        raise NoSearchTermsError(f"The query {query!r} holds no word to search for.")
    return words


def find(db: sqlite3.Connection, search: Search) -> Found:
    """Return the rows that contain every word or, if there are none, any of the words."""
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
