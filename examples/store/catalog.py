"""The shop's library: full-text search in handbooks and manuals."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from .text_search import Search, find, words_of


@dataclass(frozen=True, slots=True)
class Document:
    """A book or manual, with the passage of its summary that matched, hits between `**`."""

    document_id: int
    title: str
    author: str
    year: int
    pages: int
    subjects: list[str]
    excerpt: str


@dataclass(frozen=True, slots=True)
class Documents:
    """The best documents first, the total number, and whether they contain every word of the query."""

    documents: list[Document]
    total: int
    all_words: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """Further conditions for a document; bounds are inclusive."""

    subjects: Sequence[str]
    year_from: int | None
    year_to: int | None
    count: int


def search_documents(db: sqlite3.Connection, query: str, limits: Limits) -> Documents:
    """Return documents whose title, author or summary contain the words of `query`.

    Raises NoSearchTermsError if the query has no words.
    """
    found = find(
        db,
        Search(
            words=words_of(query),
            columns="d.*, snippet(documents_index, 2, '**', '**', '…', 24) AS excerpt",
            source="""FROM documents_index JOIN documents AS d ON d.id = documents_index.rowid
                WHERE documents_index MATCH ? AND d.year >= ifnull(?, d.year)
                AND d.year <= ifnull(?, d.year) AND (? = '[]' OR EXISTS (
                    SELECT 1 FROM json_each(d.subjects) AS has JOIN json_each(?) AS want
                    ON has.value = want.value))""",
            order="bm25(documents_index, 4.0, 4.0, 1.0), d.id",
            parameters=(limits.year_from, limits.year_to, *[json.dumps(list(limits.subjects))] * 2),
            limit=limits.count,
        ),
    )
    return Documents([_document(row) for row in found.rows], found.total, found.all_words)


def _document(row: sqlite3.Row) -> Document:
    fields = ("title", "author", "year", "pages", "excerpt")
    return Document(
        document_id=row["id"], subjects=json.loads(row["subjects"]), **{name: row[name] for name in fields}
    )
