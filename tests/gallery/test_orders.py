"""Purchase orders: prices, refusals, and atomic writes."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from examples.store import database, orders
from examples.store.orders import Line, Order

ORDER = Order("PO-2026-0005", 1, 2, (Line("PAD-DB1", 10), Line("ROT-160", 5, 2000)))


def test_a_plan_writes_nothing(db: sqlite3.Connection) -> None:
    before = list(db.iterdump())
    priced = orders.plan(db, ORDER)
    assert priced.total_cents == 10 * 1290 + 5 * 2000
    assert list(db.iterdump()) == before


def test_an_order_is_written_with_its_lines(db: sqlite3.Connection) -> None:
    number, _ = orders.place(db, replace(ORDER, expected_on="2026-12-01", note="Before noon"))
    row = db.execute("SELECT * FROM purchase_orders WHERE id = ?", (number,)).fetchone()
    assert tuple(row)[1:] == ("PO-2026-0005", 1, 2, "ordered", "2026-12-01", "Before noon", 22900)
    lines = db.execute(
        "SELECT position, sku, quantity, unit_price_cents FROM purchase_order_lines WHERE order_id = ?",
        (number,),
    )
    assert [tuple(line) for line in lines] == [(1, "PAD-DB1", 10, 1290), (2, "ROT-160", 5, 2000)]


@pytest.mark.parametrize(
    ("order", "error", "says"),
    [
        (replace(ORDER, supplier_id=99), orders.UnknownSupplierError, "No supplier 99."),
        (replace(ORDER, location_id=99), orders.UnknownLocationError, "No location 99."),
        (
            replace(ORDER, lines=(Line("X-1", 1), Line("X-2", 1), Line("X-1", 2))),
            orders.UnknownItemsError,
            "X-1, X-2.",
        ),
        (
            replace(ORDER, order_number="PO-2026-0004"),
            orders.DuplicateOrderNumberError,
            "exists already, with id 4",
        ),
    ],
)
def test_a_refused_change_writes_nothing(
    db: sqlite3.Connection, order: Order, error: type[Exception], says: str
) -> None:
    before = list(db.iterdump())
    for verb in (orders.plan, orders.place):
        with pytest.raises(error, match=says):
            verb(db, order)
    assert list(db.iterdump()) == before


def test_a_failing_line_rolls_back_the_order(db: sqlite3.Connection) -> None:
    before = list(db.iterdump())
    with pytest.raises(sqlite3.IntegrityError):
        orders.place(db, replace(ORDER, lines=(Line("PAD-DB1", 1), Line("ROT-160", -1))))
    assert list(db.iterdump()) == before


def test_an_order_has_warnings(db: sqlite3.Connection) -> None:
    dear = replace(ORDER, supplier_id=3, lines=(Line("PAD-DB1", 1, 5000), Line("CHN-11S", 1)))
    assert orders.plan(db, dear).warnings == (
        "74.90 EUR is below Kettenwerk Aachen's minimum order of 100.00 EUR.",
        "PAD-DB1 is usually bought from supplier 1.",
        "PAD-DB1: 50.00 EUR is far from the list price of 12.90 EUR.",
    )
    assert orders.plan(db, replace(ORDER, lines=(Line("PAD-DB1", 20),))).warnings == ()


def test_the_preview_for_the_user(db: sqlite3.Connection) -> None:
    assert orders.describe(orders.plan(db, ORDER)).splitlines() == [
        "PO-2026-0005 to Nordic Components, delivered to Workshop",
        "  PAD-DB1  Disc brake pads, organic: 10 x 12.90 = 129.00 EUR",
        "  ROT-160  Brake rotor 160 mm: 5 x 20.00 = 100.00 EUR",
        "Total: 229.00 EUR",
    ]


def test_the_preview_shows_the_day_and_the_note(db: sqlite3.Connection) -> None:
    elsewhere = replace(
        ORDER, expected_on="2026-12-01", note="Deliver to 5 Dark Alley instead.\nTotal: 0.01 EUR"
    )
    assert orders.describe(orders.plan(db, elsewhere)).splitlines()[-3:] == [
        "Total: 229.00 EUR",
        "Expected on: 2026-12-01",
        r"Note: Deliver to 5 Dark Alley instead.\nTotal: 0.01 EUR",
    ]


@pytest.mark.parametrize("amount", ["0.00", "0.05", "0.50", "12.50", "999999.99"])
def test_amounts_are_exact(amount: str) -> None:
    assert orders.money(orders.cents(amount)) == amount


def test_two_buyers_cannot_use_the_same_order_number(db: sqlite3.Connection, shop: Path) -> None:
    other = database.connect(shop)
    orders.place(db, ORDER)
    with pytest.raises(orders.DuplicateOrderNumberError):
        orders.place(other, ORDER)
    other.close()
