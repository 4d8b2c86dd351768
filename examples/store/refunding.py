"""Refunding: a customer gets back what a sales order has cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from toolgen.runtime import printable

from .database import transaction
from .fulfilment import UnknownOrderError
from .orders import money


class OrderNotPaidError(Exception):
    """There is nothing to pay back."""


@dataclass(frozen=True, slots=True)
class Refund:
    """A refund that can be paid."""

    order_number: str
    customer: str
    cents: int
    goods: tuple[str, ...]  # `2 x PAD-DB2`
    reason: str


def plan(db: sqlite3.Connection, order_number: str, reason: str) -> Refund:
    """Return what would be paid back; write nothing. Raises UnknownOrderError or OrderNotPaidError."""
    query = "SELECT * FROM sales_orders WHERE order_number = ?"
    order = db.execute(query, (order_number,)).fetchone()
    if order is None:
        raise UnknownOrderError(f"No sales order {order_number}.")
    if order["status"] != "fulfilled":
        raise OrderNotPaidError(f"{order_number} is {order['status']}.")
    lines = "SELECT quantity, sku FROM sales_order_lines WHERE order_id = ? ORDER BY position"
    goods = tuple(f"{quantity} x {sku}" for quantity, sku in db.execute(lines, (order["id"],)))
    return Refund(order_number, order["customer"], order["total_cents"], goods, reason)


def refund(
    db: sqlite3.Connection, order_number: str, reason: str, check: Callable[[Refund], None] = lambda _: None
) -> Refund:
    """Note the refund in one transaction.

    `check` sees it in the transaction, before anything is written, and may raise to prevent it. Raises what
    `plan` and `check` raise.
    """
    with transaction(db):
        planned = plan(db, order_number, reason)
        check(planned)
        db.execute("UPDATE sales_orders SET status = 'refunded' WHERE order_number = ?", (order_number,))
    return planned


def describe(planned: Refund) -> str:
    """Describe the refund for those who sign it."""
    lines = [
        f"{planned.order_number}: pay {money(planned.cents)} EUR back to {planned.customer}",
        f"Goods: {', '.join(planned.goods)}",
        f"Reason: {printable(planned.reason)}",
    ]
    return "\n".join(lines)
