"""Compare a supplier's document (delivery note, invoice) with its order. Nothing is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .fulfilment import UnknownOrderError
from .orders import money

Kind = Literal["missing_line", "unexpected_line", "quantity", "unit_price", "total"]


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A line of the document; the unit price in cents, or None if it has none."""

    sku: str
    quantity: int
    unit_price_cents: int | None = None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A difference: the values of the order and of the document as texts, or None."""

    kind: Kind
    sku: str | None
    ordered: str | None
    documented: str | None


@dataclass(frozen=True, slots=True)
class Verification:
    """The differences in the sequence of the order's lines, and the order."""

    order_number: str
    supplier: str
    status: str
    lines_checked: int
    mismatches: tuple[Mismatch, ...]


@dataclass(frozen=True, slots=True)
class _Sum:
    """All lines of one article taken together."""

    quantity: int
    prices: frozenset[int]


def verify(
    db: sqlite3.Connection, order_number: str, lines: Sequence[DocumentLine], total_cents: int | None
) -> Verification:
    """Compare a document's lines, and its total if it has one, with the order. Raises UnknownOrderError."""
    query = """SELECT o.id, o.status, o.total_cents, s.name FROM purchase_orders AS o
        JOIN suppliers AS s ON s.id = o.supplier_id WHERE order_number = ?"""
    order = db.execute(query, (order_number,)).fetchone()
    if order is None:
        raise UnknownOrderError(f"No purchase order {order_number}.")
    rows = db.execute(
        """SELECT sku, quantity, unit_price_cents FROM purchase_order_lines
            WHERE order_id = ? ORDER BY position""",
        (order["id"],),
    )
    ordered = _summed([DocumentLine(*row) for row in rows])
    documented = _summed(lines)
    found = [*_compare(ordered, documented)]
    if total_cents is not None and total_cents != order["total_cents"]:
        found.append(Mismatch("total", None, money(order["total_cents"]), money(total_cents)))
    return Verification(order_number, order["name"], order["status"], len(lines), tuple(found))


def _summed(lines: Sequence[DocumentLine]) -> dict[str, _Sum]:
    sums: dict[str, _Sum] = {}
    for line in lines:
        known = sums.get(line.sku, _Sum(0, frozenset()))
        price = () if line.unit_price_cents is None else (line.unit_price_cents,)
        sums[line.sku] = _Sum(known.quantity + line.quantity, known.prices.union(price))
    return sums


def _compare(ordered: dict[str, _Sum], documented: dict[str, _Sum]) -> Iterator[Mismatch]:
    for sku, wanted in ordered.items():
        there = documented.get(sku)
        if there is None:
            yield Mismatch("missing_line", sku, str(wanted.quantity), None)
            continue
        if there.quantity != wanted.quantity:
            yield Mismatch("quantity", sku, str(wanted.quantity), str(there.quantity))
        if not there.prices <= wanted.prices:
            yield Mismatch("unit_price", sku, _prices(wanted), _prices(there))
    for sku in [sku for sku in documented if sku not in ordered]:
        yield Mismatch("unexpected_line", sku, None, str(documented[sku].quantity))


def _prices(sums: _Sum) -> str:
    return ", ".join(money(price) for price in sorted(sums.prices))
