"""Purchase orders: prices, refusals, and atomic writes."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from examples.store import database, orders
from examples.store.orders import Line, Order

ORDER = Order("PO-2026-0005", 1, 2, (Line("PAD-DB1", 10), Line("ROT-160", 5, 2000)))


def test_an_order_is_written_with_its_lines(db: sqlite3.Connection) -> None:
    number, _ = orders.place(db, replace(ORDER, expected_on="2026-12-01", note="Before noon"))
    row = db.execute("SELECT * FROM purchase_orders WHERE id = ?", (number,)).fetchone()
    assert tuple(row)[1:] == ("PO-2026-0005", 1, 2, "ordered", "2026-12-01", "Before noon", 22900)
    lines = db.execute(
        "SELECT position, sku, quantity, unit_price_cents FROM purchase_order_lines WHERE order_id = ?",
        (number,),
    )
    assert [tuple(line) for line in lines] == [(1, "PAD-DB1", 10, 1290), (2, "ROT-160", 5, 2000)]


def test_an_order_has_warnings(db: sqlite3.Connection) -> None:
    dear = replace(ORDER, supplier_id=3, lines=(Line("PAD-DB1", 1, 5000), Line("CHN-11S", 1)))
    assert orders.plan(db, dear).warnings == (
        "74.90 EUR is below Kettenwerk Aachen's minimum order of 100.00 EUR.",
        "PAD-DB1 is usually bought from supplier 1.",
        "PAD-DB1: 50.00 EUR is far from the list price of 12.90 EUR.",
    )
    assert orders.plan(db, replace(ORDER, lines=(Line("PAD-DB1", 20),))).warnings == ()


def test_two_buyers_cannot_use_the_same_order_number(db: sqlite3.Connection, shop: Path) -> None:
    other = database.connect(shop)
    orders.place(db, ORDER)
    with pytest.raises(orders.DuplicateOrderNumberError):
        orders.place(other, ORDER)
    other.close()
