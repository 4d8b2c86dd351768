"""The shop's website: published articles, pages and projects, never drafts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from .text_search import Search, find, words_of


@dataclass(frozen=True, slots=True)
class ContentItem:
    """A published text, with the passage that matched, hits between `**`."""

    type: str
    slug: str
    title: str
    excerpt: str
    published_on: str
    url: str


@dataclass(frozen=True, slots=True)
class Content:
    """The best items first, the total number, and whether they contain every word of the query."""

    items: list[ContentItem]
    total: int
    all_words: bool


def search_items(db: sqlite3.Connection, query: str, types: Sequence[str], limit: int) -> Content:
    """Return published items whose title or body contain the words of `query`. Raises NoSearchTermsError."""
    found = find(
        db,
        Search(
            words=words_of(query),
            columns="c.*, snippet(content_index, 1, '**', '**', '…', 24) AS excerpt",
            source="""FROM content_index JOIN content AS c ON c.id = content_index.rowid
                WHERE content_index MATCH ? AND c.status = 'published'
                AND (? = '[]' OR c.type IN (SELECT value FROM json_each(?)))""",
            order="bm25(content_index, 4.0, 1.0), c.id",
            parameters=(json.dumps(list(types)),) * 2,
            limit=limit,
        ),
    )
    return Content([_item(row) for row in found.rows], found.total, found.all_words)


@dataclass(frozen=True, slots=True)
class ListedItem:
    """A published text without its body."""

    type: str
    slug: str
    title: str
    published_on: str
    url: str


@dataclass(frozen=True, slots=True)
class Text:
    """A published text, whole."""

    type: str
    slug: str
    title: str
    body: str
    published_on: str
    url: str


class UnknownContentError(Exception):
    """No published item has this type and slug; `near` has similar slugs of the type."""

    def __init__(self, type_: str, slug: str, near: Sequence[str]) -> None:
        similar = f" Similar: {', '.join(near)}." if near else ""
        super().__init__(f"No {type_} {slug!r} is published.{similar}")
        self.near = list(near)


def list_items(
    db: sqlite3.Connection, types: Sequence[str], limit: int, offset: int
) -> tuple[list[ListedItem], int]:
    """Return published items, newest first, from `offset` on, and the total number."""
    source = """FROM content WHERE status = 'published'
        AND (? = '[]' OR type IN (SELECT value FROM json_each(?)))"""
    wanted = (json.dumps(list(types)),) * 2
    (total,) = db.execute(f"SELECT count(*) {source}", wanted).fetchone()
    page = f"SELECT type, slug, title, published_on {source} ORDER BY published_on DESC, id LIMIT ? OFFSET ?"
    rows = db.execute(page, (*wanted, limit, offset))
    return [ListedItem(**dict(row), url=_url(row)) for row in rows], total


def get_item(db: sqlite3.Connection, type_: str, slug: str) -> Text:
    """Return the published item with this type and slug. Raises UnknownContentError, also for a draft."""
    published = "SELECT type, slug, title, body, published_on FROM content WHERE status = 'published'"
    row = db.execute(f"{published} AND type = ? AND slug = ?", (type_, slug)).fetchone()
    if row is None:
        slugs = [each["slug"] for each in db.execute(f"{published} AND type = ? ORDER BY slug", (type_,))]
        raise UnknownContentError(type_, slug, get_close_matches(slug, slugs, n=3))
    return Text(**dict(row), url=_url(row))


def _url(row: sqlite3.Row) -> str:
    return f"https://harbour-cycles.example/{row['type']}s/{row['slug']}"


def _item(row: sqlite3.Row) -> ContentItem:
    fields = ("type", "slug", "title", "excerpt", "published_on")
    return ContentItem(url=_url(row), **{name: row[name] for name in fields})
