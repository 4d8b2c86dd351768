"""Full-text search in the library and the website."""

from __future__ import annotations

import sqlite3

import pytest

from examples.store.catalog import Limits, search_documents
from examples.store.content import list_items, search_items
from examples.store.text_search import NoSearchTermsError

ANY = Limits((), None, None, 5)


def test_drafts_are_never_found(db: sqlite3.Connection) -> None:
    for row in db.execute("SELECT title FROM content WHERE status = 'draft'").fetchall():
        assert row["title"] not in [item.title for item in search_items(db, row["title"], (), 20).items]


@pytest.mark.parametrize(
    "query",
    ['"', "NEAR(", "title:chain", "'; DROP TABLE content; --"],
)
def test_operators_are_treated_as_words(db: sqlite3.Connection, query: str) -> None:
    try:
        search_documents(db, query, ANY)
        search_items(db, query, (), 5)
    except NoSearchTermsError:
        assert not any(character.isalnum() for character in query)
    assert db.execute("SELECT count(*) FROM content").fetchone()[0] == 13


def test_content_is_listed_newest_first_and_in_pages(db: sqlite3.Connection) -> None:
    everything, total = list_items(db, (), 50, 0)
    days = [item.published_on for item in everything]
    assert (len(everything), total) == (11, 11)
    assert days == sorted(days, reverse=True)
    pages = [list_items(db, (), 4, offset)[0] for offset in (0, 4, 8, 12)]
    assert [item for page in pages for item in page] == everything
    assert {item.type for item in list_items(db, ["page"], 20, 0)[0]} == {"page"}
