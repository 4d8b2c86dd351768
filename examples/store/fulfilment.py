"""Fulfilling: a sales order leaves the stock, a manufacturing order brings its product into it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from . import stock
from .database import transaction
from .stock import Move

Kind = Literal["sales", "manufacturing"]


class UnknownOrderError(Exception):
    """No order has this number."""


class OrderNotOpenError(Exception):
    """The order is finished or cancelled already."""


@dataclass(frozen=True, slots=True)
class Fulfilment:
    """An order that can be fulfilled with the current stock."""

    order_number: str
    kind: Kind
    customer: str | None  # None where the workshop builds for stock
    moves: tuple[Move, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        return stock.reorder_warnings(self.moves)


def plan(db: sqlite3.Connection, order_number: str) -> Fulfilment:
    """Return the stock that fulfilling the order would move; write nothing.

    Raises UnknownOrderError, OrderNotOpenError or ShortStockError.
    """
    if order_number.startswith("MO-"):
        row = _open_order(db, "manufacturing_orders", order_number, "in_progress")
        moves = stock.plan_moves(db, [(row["product_sku"], row["quantity"])])
        return Fulfilment(order_number, "manufacturing", None, moves)
    row = _open_order(db, "sales_orders", order_number, "open")
    lines = "SELECT sku, -quantity FROM sales_order_lines WHERE order_id = ? ORDER BY position"
    moves = stock.plan_moves(db, [(sku, change) for sku, change in db.execute(lines, (row["id"],))])
    return Fulfilment(order_number, "sales", row["customer"], moves)


def fulfil(
    db: sqlite3.Connection, order_number: str, check: Callable[[Fulfilment], None] = lambda _: None
) -> Fulfilment:
    """Move the stock and close the order in one transaction.

    `check` sees the fulfilment in the transaction, before anything is written, and may raise to prevent it.
    Raises what `plan` and `check` raise.
    """
    with transaction(db):
        planned = plan(db, order_number)
        check(planned)
        stock.book(db, planned.moves)
        table = "sales_orders" if planned.kind == "sales" else "manufacturing_orders"
        db.execute(f"UPDATE {table} SET status = 'fulfilled' WHERE order_number = ?", (order_number,))
    return planned


def describe(planned: Fulfilment) -> str:
    """Describe the fulfilment for the user who is asked."""
    what = f"ship to {planned.customer}" if planned.kind == "sales" else "put what was built into stock"
    lines = [f"{planned.order_number}: {what}", *stock.describe_moves(planned.moves)]
    return "\n".join([*lines, *(f"Warning: {warning}" for warning in planned.warnings)])


def _open_order(db: sqlite3.Connection, table: str, order_number: str, state: str) -> sqlite3.Row:
    query = f"SELECT * FROM {table} WHERE order_number = ?"
    row: sqlite3.Row | None = db.execute(query, (order_number,)).fetchone()
    if row is None:
        raise UnknownOrderError(f"No order {order_number}.")
    if row["status"] != state:
        raise OrderNotOpenError(f"{order_number} is {row['status']}.")
    return row
