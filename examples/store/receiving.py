"""Receiving: goods of a purchase order arrive, completely or in parts, and go into stock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from . import stock
from .database import transaction
from .fulfilment import OrderNotOpenError, UnknownOrderError
from .stock import Move


class NotOrderedError(Exception):
    """Articles arrived that the order does not have; `skus` names them."""

    def __init__(self, order_number: str, skus: Sequence[str]) -> None:
        super().__init__(f"Not on {order_number}: {', '.join(skus)}.")
        self.skus = list(skus)


class TooManyReceivedError(Exception):
    """More units of an article arrived than are outstanding."""


@dataclass(frozen=True, slots=True)
class ReceivedLine:
    """One line of the order, in units; `now` arrives with this receipt."""

    position: int
    sku: str
    name: str
    ordered: int
    before: int
    now: int

    @property
    def outstanding(self) -> int:
        """Return the number of units that are outstanding afterwards."""
        return self.ordered - self.before - self.now


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt that can be booked."""

    order_id: int
    order_number: str
    supplier: str
    lines: tuple[ReceivedLine, ...]
    moves: tuple[Move, ...]

    @property
    def status(self) -> str:
        """Return the order's status afterwards."""
        return "partly_received" if any(line.outstanding for line in self.lines) else "received"


def plan(db: sqlite3.Connection, order_number: str, arrived: Mapping[str, int] | None) -> Receipt:
    """Return what booking `arrived` (sku → units) would change; None stands for everything outstanding.

    Raises UnknownOrderError, OrderNotOpenError, NotOrderedError or TooManyReceivedError.
    """
    query = """SELECT o.id, o.status, s.name FROM purchase_orders AS o JOIN suppliers AS s
        ON s.id = o.supplier_id WHERE order_number = ?"""
    order = db.execute(query, (order_number,)).fetchone()
    if order is None:
        raise UnknownOrderError(f"No purchase order {order_number}.")
    if order["status"] not in ("ordered", "partly_received"):
        raise OrderNotOpenError(f"{order_number} is {order['status']}.")
    lines = _spread(db, order["id"], order_number, arrived)
    moves = stock.plan_moves(db, [(line.sku, line.now) for line in lines if line.now])
    return Receipt(order["id"], order_number, order["name"], lines, moves)


def receive(
    db: sqlite3.Connection,
    order_number: str,
    arrived: Mapping[str, int] | None,
    check: Callable[[Receipt], None] = lambda _: None,
) -> Receipt:
    """Book the goods into stock and record them on the order, in one transaction.

    `check` sees the receipt in the transaction, before anything is written, and may raise to prevent it.
    Raises what `plan` and `check` raise.
    """
    with transaction(db):
        receipt = plan(db, order_number, arrived)
        check(receipt)
        stock.book(db, receipt.moves)
        for line in receipt.lines:
            change = (line.now, receipt.order_id, line.position)
            db.execute(
                "UPDATE purchase_order_lines SET received = received + ? WHERE order_id = ? AND position = ?",
                change,
            )
        db.execute("UPDATE purchase_orders SET status = ? WHERE id = ?", (receipt.status, receipt.order_id))
    return receipt


def describe(receipt: Receipt) -> str:
    """Describe the receipt for the user who is asked."""
    lines = [f"{receipt.order_number} from {receipt.supplier}, into stock:"]
    lines += stock.describe_moves(receipt.moves)
    open_lines = [f"{line.outstanding} x {line.sku}" for line in receipt.lines if line.outstanding]
    lines.append(f"Still to come: {', '.join(open_lines)}" if open_lines else "The order is complete then.")
    return "\n".join(lines)


def _spread(
    db: sqlite3.Connection, order_id: int, order_number: str, arrived: Mapping[str, int] | None
) -> tuple[ReceivedLine, ...]:
    """Distribute the arrived units to the lines of the order, from the first to the last."""
    query = """SELECT l.position, l.sku, i.name, l.quantity, l.received FROM purchase_order_lines AS l
        JOIN items AS i ON i.sku = l.sku WHERE order_id = ? ORDER BY position"""
    rows = db.execute(query, (order_id,)).fetchall()
    left = dict(arrived) if arrived is not None else None
    if left is not None and (foreign := sorted(left.keys() - {row["sku"] for row in rows})):
        raise NotOrderedError(order_number, foreign)
    lines = []
    for row in rows:
        outstanding = row["quantity"] - row["received"]
        now = outstanding if left is None else min(outstanding, left.get(row["sku"], 0))
        if left is not None and row["sku"] in left:
            left[row["sku"]] -= now
        lines.append(
            ReceivedLine(row["position"], row["sku"], row["name"], row["quantity"], row["received"], now)
        )
    if over := [f"{units} x {sku}" for sku, units in (left or {}).items() if units > 0]:
        raise TooManyReceivedError(f"More than is outstanding on {order_number}: {', '.join(over)}.")
    return tuple(lines)
