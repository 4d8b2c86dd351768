"""Stock: receipts, production, shipments and documents; atomic, and never below zero."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from examples.store import database, fulfilment


def in_stock(db: sqlite3.Connection, *skus: str) -> list[int]:
    query = "SELECT in_stock FROM items WHERE sku = ?"
    return [db.execute(query, (sku,)).fetchone()[0] for sku in skus]


def test_concurrent_shipments_do_not_ship_the_same_stock_twice(shop: Path, db: sqlite3.Connection) -> None:
    """Two users ship the same order concurrently; one of them succeeds."""

    def ship(_: int) -> str:
        with closing(database.connect(shop)) as own:
            try:
                fulfilment.fulfil(own, "SO-2026-0002")
            except fulfilment.OrderNotOpenError:
                return "refused"
            return "shipped"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(ship, range(4))) == ["refused"] * 3 + ["shipped"]
    assert in_stock(db, "TYR-4228") == [22]
