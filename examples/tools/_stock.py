"""Stock moves and shortages in the form of the tools' responses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from examples.store.stock import Move, ShortStockError


def stock_moves(moves: Iterable[Move]) -> list[dict[str, Any]]:
    """Return moves as values of the shared schema StockMove."""
    return [
        {
            "sku": move.sku,
            "name": move.name,
            "change": move.change,
            "in_stock_before": move.before,
            "in_stock_after": move.after,
        }
        for move in moves
    ]


def shortages(fault: ShortStockError) -> dict[str, Any]:
    """Return the error details of a shortage."""
    return {
        "short": [{"sku": move.sku, "needed": -move.change, "in_stock": move.before} for move in fault.short]
    }
