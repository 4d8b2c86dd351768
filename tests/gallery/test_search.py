"""Full-text search in the library and the website."""

from __future__ import annotations

import sqlite3

import pytest

from examples.store.catalog import Limits, search_documents
from examples.store.content import UnknownContentError, get_item, list_items, search_items
from examples.store.text_search import MAX_WORDS, NoSearchTermsError, words_of

ANY = Limits((), None, None, 5)


def test_drafts_are_never_found(db: sqlite3.Connection) -> None:
    for row in db.execute("SELECT title FROM content WHERE status = 'draft'").fetchall():
        assert row["title"] not in [item.title for item in search_items(db, row["title"], (), 20).items]


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a AND",
        "NEAR(",
        "title:chain",
        "chain*",
        "^chain",
        "-chain",
        "chain OR (",
        "'; DROP TABLE content; --",
        "{a}",
    ],
)
def test_operators_are_treated_as_words(db: sqlite3.Connection, query: str) -> None:
    try:
        search_documents(db, query, ANY)
        search_items(db, query, (), 5)
    except NoSearchTermsError:
        assert not any(character.isalnum() for character in query)
    assert db.execute("SELECT count(*) FROM content").fetchone()[0] == 13


@pytest.mark.parametrize("query", ["?!", "   ", "___", "**", "\N{ZERO WIDTH SPACE}"])
def test_a_query_without_words_is_refused(query: str) -> None:
    with pytest.raises(NoSearchTermsError, match="no word to search for"):
        words_of(query)


def test_words_of_a_query() -> None:
    assert words_of("Cafe\N{COMBINING ACUTE ACCENT} café, snake_case café") == ("café", "snake", "case")
    assert len(words_of(" ".join(f"w{n}" for n in range(100)))) == MAX_WORDS


def test_accents_do_not_matter(db: sqlite3.Connection) -> None:
    assert search_documents(db, "Amelie Durand", ANY).total == 2


def test_content_is_listed_newest_first_and_in_pages(db: sqlite3.Connection) -> None:
    everything, total = list_items(db, (), 50, 0)
    days = [item.published_on for item in everything]
    assert (len(everything), total) == (11, 11)
    assert days == sorted(days, reverse=True)
    pages = [list_items(db, (), 4, offset)[0] for offset in (0, 4, 8, 12)]
    assert [item for page in pages for item in page] == everything
    assert {item.type for item in list_items(db, ["page"], 20, 0)[0]} == {"page"}


def test_an_item_is_returned_completely_and_a_draft_is_not_found(db: sqlite3.Connection) -> None:
    item = get_item(db, "page", "opening-hours")
    assert item.body.startswith("The shop is open from Tuesday")
    assert item.url == "https://harbour-cycles.example/pages/opening-hours"
    with pytest.raises(UnknownContentError, match=r"No page 'openings-hours' .* Similar: opening-hours\."):
        get_item(db, "page", "openings-hours")
    for type_, slug in db.execute("SELECT type, slug FROM content WHERE status = 'draft'").fetchall():
        with pytest.raises(UnknownContentError) as caught:
            get_item(db, type_, slug)
        assert slug not in caught.value.near
