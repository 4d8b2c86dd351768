"""What the tools that move stock tell, each in the model of its own response."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from examples.store.stock import Move, ShortStockError


def told(moves: Iterable[Move]) -> list[dict[str, Any]]:
    """The moves as the shared schema StockMove has them."""
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
    """What is missing, for a program to read."""
    return {
        "short": [{"sku": move.sku, "needed": -move.change, "in_stock": move.before} for move in fault.short]
    }
