"""What is in stock, and what changes it: moves are planned and shown first, then booked in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class UnknownItemError(Exception):
    """No article has this number."""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of one article's stock, in units: positive is incoming, negative outgoing."""

    sku: str
    name: str
    change: int
    before: int
    reorder_point: int

    @property
    def after(self) -> int:
        return self.before + self.change


class ShortStockError(Exception):
    """The stock of some articles is too small; `short` has their moves."""

    def __init__(self, short: Sequence[Move]) -> None:
        needed = ", ".join(f"{move.sku} (needed {-move.change}, in stock {move.before})" for move in short)
        super().__init__(f"Not enough in stock: {needed}.")
        self.short = list(short)


def plan_moves(db: sqlite3.Connection, changes: Iterable[tuple[str, int]]) -> tuple[Move, ...]:
    """Return the moves of `changes`, (sku, units); changes of one article are combined.

    Raises ShortStockError if more would go out than is in stock, and UnknownItemError.
    """
    totals: dict[str, int] = {}
    for sku, change in changes:
        totals[sku] = totals.get(sku, 0) + change
    moves = tuple(_move(db, sku, change) for sku, change in totals.items())
    if short := [move for move in moves if move.after < 0]:
        raise ShortStockError(short)
    return moves


def book(db: sqlite3.Connection, moves: Iterable[Move]) -> None:
    """Write the moves, in the transaction in which they were planned."""
    for move in moves:
        db.execute("UPDATE items SET in_stock = in_stock + ? WHERE sku = ?", (move.change, move.sku))


def reorder_warnings(moves: Iterable[Move]) -> tuple[str, ...]:
    """Return warnings for articles that these moves leave below their reorder point."""
    return tuple(
        f"{move.sku}: {move.after} left, below the reorder point of {move.reorder_point}."
        for move in moves
        if move.change < 0 and move.after < move.reorder_point
    )


def describe_moves(moves: Iterable[Move]) -> list[str]:
    """Describe moves, one line each, for the user who is asked."""
    return [f"  {move.sku}  {move.name}: {move.change:+} ({move.before} -> {move.after})" for move in moves]


def _move(db: sqlite3.Connection, sku: str, change: int) -> Move:
    row = db.execute("SELECT name, in_stock, reorder_point FROM items WHERE sku = ?", (sku,)).fetchone()
    if row is None:
        raise UnknownItemError(f"No such item: {sku}.")
    return Move(sku, row["name"], change, row["in_stock"], row["reorder_point"])
