"""Stock: receipts, production, shipments and documents; atomic, and never below zero."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from examples.store import database, fulfilment, items, manufacturing, orders, receiving, stock, verification
from examples.store.manufacturing import Job
from examples.store.text_search import NoSearchTermsError
from examples.store.verification import DocumentLine

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


def test_units_of_one_article_are_distributed_to_two_lines(db: sqlite3.Connection) -> None:
    lines = (orders.Line("OIL-MIN", 4), orders.Line("OIL-MIN", 6))
    orders.place(db, orders.Order("PO-2026-0005", 1, 1, lines))
    receipt = receiving.receive(db, "PO-2026-0005", {"OIL-MIN": 5})
    assert [line.outstanding for line in receipt.lines] == [0, 5]
    assert [(move.sku, move.change) for move in receipt.moves] == [("OIL-MIN", 5)]
    assert in_stock(db, "OIL-MIN") == [8]


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


def test_shipping_takes_from_stock_once(db: sqlite3.Connection) -> None:
    before = in_stock(db, "TYR-4228", "SEA-250", "LGT-RR")
    fulfilment.fulfil(db, "SO-2026-0002")
    assert in_stock(db, "TYR-4228", "SEA-250", "LGT-RR") == [before[0] - 4, before[1] - 3, before[2] - 1]
    with pytest.raises(fulfilment.OrderNotOpenError, match="is fulfilled"):
        fulfilment.fulfil(db, "SO-2026-0002")


REFUSED: list[tuple[Callable[[sqlite3.Connection], Any], type[Exception], str]] = [
    (lambda db: receiving.receive(db, "PO-2026-0099", None), fulfilment.UnknownOrderError, "PO-2026-0099"),
    (lambda db: receiving.receive(db, "PO-2026-0003", None), fulfilment.OrderNotOpenError, "is cancelled"),
    (
        lambda db: receiving.receive(db, "PO-2026-0004", {"LGT-RR": 1, "X": 1, "A": 1}),
        receiving.NotOrderedError,
        "A, X",
    ),
    (
        lambda db: receiving.receive(db, "PO-2026-0004", {"LGT-FR80": 12, "LGT-RR": 13}),
        receiving.TooManyReceivedError,
        "1 x LGT-RR",
    ),
    (
        lambda db: manufacturing.begin(db, Job("MO-2026-0003", "KIT-BRAKE", 4)),
        stock.ShortStockError,
        r"OIL-MIN \(needed 4, in stock 3\)",
    ),
    (
        lambda db: manufacturing.begin(db, Job("MO-2026-0003", "CHN-11S", 1)),
        manufacturing.NotBuildableError,
        "bought, not built",
    ),
    (
        lambda db: manufacturing.begin(db, Job("MO-2026-0003", "NO-SUCH", 1)),
        stock.UnknownItemError,
        "NO-SUCH",
    ),
    (
        lambda db: manufacturing.begin(db, Job("MO-2026-0001", "KIT-BRAKE", 1)),
        orders.DuplicateOrderNumberError,
        "with id 1",
    ),
    (lambda db: fulfilment.fulfil(db, "SO-2026-0003"), stock.ShortStockError, r"SPK-264 \(needed 5, in"),
    (lambda db: fulfilment.fulfil(db, "SO-2026-0004"), fulfilment.OrderNotOpenError, "is cancelled"),
    (lambda db: fulfilment.fulfil(db, "MO-2026-0099"), fulfilment.UnknownOrderError, "MO-2026-0099"),
]


@pytest.mark.parametrize(("act", "error", "says"), REFUSED)
def test_a_refused_change_writes_nothing(
    db: sqlite3.Connection, act: Callable[[sqlite3.Connection], Any], error: type[Exception], says: str
) -> None:
    before = list(db.iterdump())
    with pytest.raises(error, match=says):
        act(db)
    assert list(db.iterdump()) == before
    assert not db.in_transaction


def test_plans_write_nothing(db: sqlite3.Connection) -> None:
    before = list(db.iterdump())
    receiving.plan(db, "PO-2026-0004", None)
    manufacturing.plan(db, KIT)
    fulfilment.plan(db, "SO-2026-0002")
    verification.verify(db, "PO-2026-0004", [DocumentLine("LGT-RR", 1)], None)
    assert list(db.iterdump()) == before


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


def test_the_database_refuses_stock_below_zero(db: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        stock.book(db, [stock.Move("OIL-MIN", "Mineral oil", -4, 3, 6)])


def test_the_preview_for_the_user(db: sqlite3.Connection) -> None:
    assert receiving.describe(receiving.plan(db, "PO-2026-0004", {"LGT-FR80": 5})).splitlines() == [
        "PO-2026-0004 from Bright & Dry, into stock:",
        "  LGT-FR80  Front light, 80 lux: +5 (7 -> 12)",
        "Still to come: 7 x LGT-FR80, 12 x LGT-RR",
    ]
    assert receiving.describe(receiving.plan(db, "PO-2026-0004", None)).endswith(
        "The order is complete then."
    )
    assert manufacturing.describe(manufacturing.plan(db, KIT)).splitlines() == [
        "MO-2026-0003: build 2 x KIT-BRAKE Brake service kit, from stock:",
        "  OIL-MIN  Mineral oil, 500 ml: -2 (3 -> 1)",
        "  PAD-DB1  Disc brake pads, organic: -4 (8 -> 4)",
        "  ROT-160  Brake rotor 160 mm: -4 (17 -> 13)",
        "Warning: OIL-MIN: 1 left, below the reorder point of 6.",
        "Warning: PAD-DB1: 4 left, below the reorder point of 30.",
    ]
    job = replace(KIT, due_on="2026-12-01", note="Use the used pads.")
    assert manufacturing.describe(manufacturing.plan(db, job)).splitlines()[4:6] == [
        "Due on: 2026-12-01",
        "Note: Use the used pads.",
    ]
    shown = fulfilment.describe(fulfilment.plan(db, "SO-2026-0002")).splitlines()
    assert shown[0] == "SO-2026-0002: ship to Harbour school"
    assert "Warning: SEA-250: 9 left, below the reorder point of 12." in shown
    built = fulfilment.describe(fulfilment.plan(db, "MO-2026-0002"))
    assert built.startswith("MO-2026-0002: put what was built into stock\n")


def test_a_matching_document_has_no_mismatches(db: sqlite3.Connection) -> None:
    split = [DocumentLine("LGT-RR", 5), DocumentLine("LGT-FR80", 12, 4490), DocumentLine("LGT-RR", 7, 2290)]
    assert verification.verify(db, "PO-2026-0004", split, 81360).mismatches == ()


@pytest.mark.parametrize(
    ("lines", "total", "found"),
    [
        ([DocumentLine("LGT-FR80", 12)], None, [("missing_line", "LGT-RR", "12", None)]),
        (
            [DocumentLine("LGT-FR80", 13), DocumentLine("LGT-RR", 12)],
            None,
            [("quantity", "LGT-FR80", "12", "13")],
        ),
        (
            [DocumentLine("LGT-FR80", 12), DocumentLine("LGT-RR", 6, 2290), DocumentLine("LGT-RR", 6, 2300)],
            None,
            [("unit_price", "LGT-RR", "22.90", "22.90, 23.00")],
        ),
        (
            [DocumentLine("LGT-FR80", 12), DocumentLine("LGT-RR", 12), DocumentLine("NEW-1", 1)],
            81361,
            [("unexpected_line", "NEW-1", None, "1"), ("total", None, "813.60", "813.61")],
        ),
    ],
)
def test_mismatches_of_a_document_are_found(
    db: sqlite3.Connection, lines: list[DocumentLine], total: int | None, found: list[tuple[object, ...]]
) -> None:
    checked = verification.verify(db, "PO-2026-0004", lines, total)
    assert [(each.kind, each.sku, each.ordered, each.documented) for each in checked.mismatches] == found


def test_a_document_of_an_unknown_order_is_refused(db: sqlite3.Connection) -> None:
    with pytest.raises(fulfilment.UnknownOrderError):
        verification.verify(db, "PO-2026-0099", [DocumentLine("LGT-RR", 1)], None)


def found(
    db: sqlite3.Connection, query: str, category: str | None = None, low: bool = False, limit: int = 10
) -> items.Items:
    return items.search(db, query, category, low, limit)


def test_articles_are_found(db: sqlite3.Connection) -> None:
    assert [item.sku for item in found(db, "brake pads").items] == ["PAD-DB1", "PAD-DB2"]
    assert [item.sku for item in found(db, "chn-11s").items] == ["CHN-11S"]
    low = found(db, "light", low=True)
    assert [(item.sku, item.in_stock) for item in low.items] == [("LGT-FR80", 7)]
    assert found(db, "kit", "kits", limit=1).total == 3
    assert not found(db, "brake unicycle").all_words
    with pytest.raises(NoSearchTermsError):
        found(db, '"*')


def test_ordering_a_product_that_is_built_has_a_warning(db: sqlite3.Connection) -> None:
    order = orders.Order("PO-2026-0005", 1, 1, (orders.Line("KIT-BRAKE", 9),))
    assert orders.plan(db, order).warnings == ("KIT-BRAKE is usually built in the workshop.",)


def test_data_of_another_version_is_not_changed(tmp_path: Path) -> None:
    with closing(database.connect(tmp_path / "shop-1.sqlite3")) as old:
        old.execute("PRAGMA user_version = 1")
    before = (tmp_path / "shop-1.sqlite3").read_bytes()
    assert database.database(tmp_path).name != "shop-1.sqlite3"
    assert (tmp_path / "shop-1.sqlite3").read_bytes() == before
