"""Purchase orders: planned, shown, and written in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from toolgen.runtime import printable

from .database import insert, transaction

PRICE_TOLERANCE: Final = 0.2
"""Relative difference between a price and the list price from which a warning is shown."""


class UnknownSupplierError(Exception):
    """No supplier has this number."""


class UnknownLocationError(Exception):
    """No location has this number."""


class UnknownItemsError(Exception):
    """Some articles are not in the item list; `skus` names them."""

    def __init__(self, skus: Sequence[str]) -> None:
        super().__init__(f"No such items: {', '.join(skus)}.")
        self.skus = list(skus)


class DuplicateOrderNumberError(Exception):
    """An order with this number exists."""


@dataclass(frozen=True, slots=True)
class Line:
    """A requested line: an article, its quantity, and the unit price in cents, or None for the list price."""

    sku: str
    quantity: int
    unit_price_cents: int | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """A requested order."""

    order_number: str
    supplier_id: int
    location_id: int
    lines: tuple[Line, ...]
    expected_on: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PricedLine:
    """A line with its article's name and all prices, in cents."""

    sku: str
    name: str
    quantity: int
    unit_price_cents: int
    list_price_cents: int
    supplier_id: int | None  # None for what the workshop builds

    @property
    def total_cents(self) -> int:
        return self.quantity * self.unit_price_cents


@dataclass(frozen=True, slots=True)
class PricedOrder:
    """An order that can be written."""

    order: Order
    supplier: str
    supplier_email: str
    location: str
    lines: tuple[PricedLine, ...]
    warnings: tuple[str, ...]

    @property
    def total_cents(self) -> int:
        return sum(line.total_cents for line in self.lines)


def money(cents: int) -> str:
    """Format cents as an amount with two decimals: 1250 is `12.50`."""
    return f"{cents // 100}.{cents % 100:02}"


def cents(amount: str) -> int:
    """Parse an amount with a point and two decimals, which the schema has validated."""
    whole, _, fraction = amount.partition(".")
    return int(whole) * 100 + int(fraction)


def plan(db: sqlite3.Connection, order: Order) -> PricedOrder:
    """Price the order and check it against the shop's data; write nothing.

    Raises UnknownSupplierError, UnknownLocationError, UnknownItemsError or DuplicateOrderNumberError.
    """
    supplier = db.execute("SELECT * FROM suppliers WHERE id = ?", (order.supplier_id,)).fetchone()
    if supplier is None:
        raise UnknownSupplierError(f"No supplier {order.supplier_id}.")
    location = db.execute("SELECT name FROM locations WHERE id = ?", (order.location_id,)).fetchone()
    if location is None:
        raise UnknownLocationError(f"No location {order.location_id}.")
    same_number = "SELECT id FROM purchase_orders WHERE order_number = ?"
    taken = db.execute(same_number, (order.order_number,)).fetchone()
    if taken is not None:
        raise DuplicateOrderNumberError(f"Order {order.order_number} exists already, with id {taken['id']}.")
    lines = _price(db, order.lines)
    return PricedOrder(
        order, supplier["name"], supplier["email"], location["name"], lines, _warnings(supplier, lines)
    )


def place(
    db: sqlite3.Connection, order: Order, check: Callable[[PricedOrder], None] = lambda _: None
) -> tuple[int, PricedOrder]:
    """Write the order and its lines in one transaction; return its id and the priced order.

    `check` sees the order in the transaction, before anything is written, and may raise to prevent it.
    Raises what `plan` and `check` raise.
    """
    with transaction(db):
        priced = plan(db, order)
        check(priced)
        row = {
            "order_number": order.order_number,
            "supplier_id": order.supplier_id,
            "location_id": order.location_id,
            "status": "ordered",
            "expected_on": order.expected_on,
            "note": order.note,
            "total_cents": priced.total_cents,
        }
        number = insert(db, "purchase_orders", row)
        for position, line in enumerate(priced.lines, 1):
            values = {"sku": line.sku, "quantity": line.quantity, "unit_price_cents": line.unit_price_cents}
            insert(db, "purchase_order_lines", {"order_id": number, "position": position, **values})
    return number, priced


def describe(priced: PricedOrder) -> str:
    """Describe the order for the user who is asked whether to place it."""
    lines = [f"{priced.order.order_number} to {priced.supplier}, delivered to {priced.location}"]
    for line in priced.lines:
        amount = f"{line.quantity} x {money(line.unit_price_cents)} = {money(line.total_cents)} EUR"
        lines.append(f"  {line.sku}  {line.name}: {amount}")
    lines.append(f"Total: {money(priced.total_cents)} EUR")
    if priced.order.expected_on is not None:
        lines.append(f"Expected on: {priced.order.expected_on}")
    if priced.order.note:
        lines.append(f"Note: {printable(priced.order.note)}")
    lines += [f"Warning: {warning}" for warning in priced.warnings]
    return "\n".join(lines)


def _price(db: sqlite3.Connection, wanted: Sequence[Line]) -> tuple[PricedLine, ...]:
    items = {row["sku"]: row for row in db.execute("SELECT * FROM items")}
    if missing := list(dict.fromkeys(line.sku for line in wanted if line.sku not in items)):
        raise UnknownItemsError(missing)
    return tuple(_priced(line, items[line.sku]) for line in wanted)


def _priced(line: Line, item: sqlite3.Row) -> PricedLine:
    listed: int = item["list_price_cents"]
    price = listed if line.unit_price_cents is None else line.unit_price_cents
    return PricedLine(line.sku, item["name"], line.quantity, price, listed, item["supplier_id"])


def _warnings(supplier: sqlite3.Row, lines: Sequence[PricedLine]) -> tuple[str, ...]:
    """Return warnings for a careful buyer; none of them prevents the order."""
    total = sum(line.total_cents for line in lines)
    minimum: int = supplier["minimum_order_cents"]
    found = []
    if total < minimum:
        needed = f"{supplier['name']}'s minimum order of {money(minimum)} EUR"
        found.append(f"{money(total)} EUR is below {needed}.")
    for line in lines:
        if line.supplier_id is None:
            found.append(f"{line.sku} is usually built in the workshop.")
        elif line.supplier_id != supplier["id"]:
            found.append(f"{line.sku} is usually bought from supplier {line.supplier_id}.")
        if abs(line.unit_price_cents - line.list_price_cents) > PRICE_TOLERANCE * line.list_price_cents:
            paid, listed = money(line.unit_price_cents), money(line.list_price_cents)
            found.append(f"{line.sku}: {paid} EUR is far from the list price of {listed} EUR.")
    return tuple(found)
