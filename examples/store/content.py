"""The shop's website: articles, pages and projects. Drafts are never found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

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
    """The best items first, how many matched in all, and whether they hold every word of the query."""

    items: list[ContentItem]
    total: int
    all_words: bool


def search_items(db: sqlite3.Connection, query: str, types: Sequence[str] = (), limit: int = 5) -> Content:
    """Published items whose title or body hold the words of `query`; NoSearchTermsError when it has none."""
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


def _item(row: sqlite3.Row) -> ContentItem:
    fields = ("type", "slug", "title", "excerpt", "published_on")
    url = f"https://harbour-cycles.example/{row['type']}s/{row['slug']}"
    return ContentItem(url=url, **{name: row[name] for name in fields})
