"""stock_chart of the articles in the shop's database."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import Image, ToolContext, ToolResult

from examples.store import charts
from examples.store.wording import count
from generated.models.stock_chart import StockBar
from generated.tools.stock_chart import StockChartRequest, StockChartResponse, StockChartTool


class StockChart(StockChartTool):
    def execute(
        self, request: StockChartRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> ToolResult[StockChartResponse, Image]:
        query = "SELECT sku, name, in_stock, reorder_point FROM items WHERE category = ? ORDER BY sku"
        bars = [StockBar(**row) for row in db.execute(query, (request.category,))]
        chart = charts.bar_chart(
            f"Stock: {request.category}",
            [charts.Bar(bar.name, bar.in_stock, bar.reorder_point) for bar in bars],
        )
        name = f"stock-{request.category}"
        return ToolResult(
            _response(request.category, bars),
            Image(chart.png(), name=f"{name}.png"),
            Image(chart.svg(), name=f"{name}.svg"),
        )


def _response(category: str, bars: list[StockBar]) -> StockChartResponse:
    short = [bar.sku for bar in bars if bar.in_stock < bar.reorder_point]
    return StockChartResponse(
        category=category,
        bars=bars,
        message=f"Drew the stock of {count(len(bars), 'article')}.",
        warnings=[f"{sku} is below its reorder point." for sku in short],
        next_actions=[_next(category, short)] if short else [],
    )


def _next(category: str, short: list[str]) -> str:
    if category == "kits":
        return f"Build {', '.join(short)} with create_manufacturing_order."
    return f"Order {', '.join(short)} with create_purchase_order."
