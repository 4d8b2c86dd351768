"""Stock: receipts, production, shipments and documents; atomic, and never below zero."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from examples.store import database, fulfilment, manufacturing, receiving
from examples.store.manufacturing import Job

KIT = Job("MO-2026-0003", "KIT-BRAKE", 2)


def in_stock(db: sqlite3.Connection, *skus: str) -> list[int]:
    query = "SELECT in_stock FROM items WHERE sku = ?"
    return [db.execute(query, (sku,)).fetchone()[0] for sku in skus]


def status(db: sqlite3.Connection, table: str, number: str) -> str:
    row = db.execute(f"SELECT status FROM {table} WHERE order_number = ?", (number,)).fetchone()
    return str(row[0])


def test_an_order_can_be_received_in_parts(db: sqlite3.Connection) -> None:
    first = receiving.receive(db, "PO-2026-0004", {"LGT-FR80": 5})
    assert (first.status, [line.outstanding for line in first.lines]) == ("partly_received", [7, 12])
    assert in_stock(db, "LGT-FR80", "LGT-RR") == [12, 19]
    rest = receiving.receive(db, "PO-2026-0004", None)
    assert (rest.status, [line.now for line in rest.lines]) == ("received", [7, 12])
    assert in_stock(db, "LGT-FR80", "LGT-RR") == [19, 31]
    with pytest.raises(fulfilment.OrderNotOpenError, match="PO-2026-0004 is received"):
        receiving.receive(db, "PO-2026-0004", None)


def test_building_takes_components_and_fulfilling_brings_the_product(db: sqlite3.Connection) -> None:
    number, begun = manufacturing.begin(db, KIT)
    assert {move.sku: move.change for move in begun.components} == {
        "OIL-MIN": -2,
        "PAD-DB1": -4,
        "ROT-160": -4,
    }
    assert in_stock(db, "OIL-MIN", "PAD-DB1", "ROT-160", "KIT-BRAKE") == [1, 4, 13, 1]
    done = fulfilment.fulfil(db, "MO-2026-0003")
    assert (number, done.kind, done.customer) == (3, "manufacturing", None)
    assert in_stock(db, "OIL-MIN", "PAD-DB1", "ROT-160", "KIT-BRAKE") == [1, 4, 13, 3]
    assert status(db, "manufacturing_orders", "MO-2026-0003") == "fulfilled"


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
