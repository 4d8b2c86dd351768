"""Full-text search in the shop's articles."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from .text_search import Search, find, words_of


@dataclass(frozen=True, slots=True)
class Item:
    """An article; `supplier_id` is None for what the workshop builds."""

    sku: str
    name: str
    category: str
    supplier_id: int | None
    list_price_cents: int
    in_stock: int
    reorder_point: int


@dataclass(frozen=True, slots=True)
class Items:
    """The best articles first, the total number, and whether they contain every word of the query."""

    items: list[Item]
    total: int
    all_words: bool


def search(db: sqlite3.Connection, query: str, category: str | None, low: bool, limit: int) -> Items:
    """Return articles whose number, name or category contain the words of `query`.

    With `low`, only those below their reorder point.

    Raises NoSearchTermsError when the query has no words.
    """
    found = find(
        db,
        Search(
            words=words_of(query),
            columns="i.*",
            source="""FROM items_index JOIN items AS i ON i.rowid = items_index.rowid
                WHERE items_index MATCH ? AND (? IS NULL OR i.category = ?)
                AND (NOT ? OR i.in_stock < i.reorder_point)""",
            order="bm25(items_index, 8.0, 4.0, 1.0), i.sku",
            parameters=(category, category, low),
            limit=limit,
        ),
    )
    return Items([Item(**dict(row)) for row in found.rows], found.total, found.all_words)
