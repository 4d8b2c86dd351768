"""Purchase orders as PDF, by fpdf2."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from fpdf import FPDF
from fpdf.fonts import FontFace

from .fulfilment import UnknownOrderError
from .orders import money

OrderStatus: TypeAlias = Literal["ordered", "partly_received", "received", "cancelled"]

_HEAD: Final = ("Article", "Name", "Quantity", "Price", "Total")
_WIDTHS: Final = (22, 78, 20, 22, 26)  # mm
_SMALL: Final = 9  # points


@dataclass(frozen=True, slots=True)
class PrintedOrder:
    """An order as it is in the database."""

    order_number: str
    status: OrderStatus
    supplier: str
    supplier_email: str
    location: str
    expected_on: str | None
    note: str
    total_cents: int
    lines: tuple[sqlite3.Row, ...]

    def pdf(self) -> bytes:
        """Return the order as PDF; the same order has the same bytes."""
        pdf = FPDF(format="A4")
        pdf.set_creation_date(datetime.fromtimestamp(0, UTC))
        pdf.set_title(f"Purchase order {self.order_number}")
        pdf.add_page()
        pdf.set_font("Helvetica", "B", 16)
        pdf.cell(text=f"Purchase order {self.order_number}", new_x="LMARGIN", new_y="NEXT", h=12)
        pdf.set_font("Helvetica", size=_SMALL)
        pdf.multi_cell(0, 5, _printable("\n".join(self._facts())), new_x="LMARGIN", new_y="NEXT")
        pdf.ln(6)
        self._print_lines(pdf)
        if self.note:
            pdf.ln(6)
            pdf.multi_cell(0, 5, _printable(f"Note: {self.note}"), new_x="LMARGIN", new_y="NEXT")
        return bytes(pdf.output())

    def _facts(self) -> list[str]:
        facts = [
            "Harbour Cycles",
            f"To: {self.supplier}, {self.supplier_email}",
            f"Deliver to: {self.location}",
        ]
        facts += [f"Expected on: {self.expected_on}"] if self.expected_on else []
        return [*facts, f"Status: {self.status.replace('_', ' ')}"]

    def _print_lines(self, pdf: FPDF) -> None:
        bold = FontFace(emphasis="BOLD")
        alignment = ("LEFT", "LEFT", "RIGHT", "RIGHT", "RIGHT")
        with pdf.table(col_widths=_WIDTHS, text_align=alignment, headings_style=bold) as table:
            table.row(_HEAD)
            for line in self.lines:
                quantity, price = line["quantity"], line["unit_price_cents"]
                cells = (line["sku"], line["name"], str(quantity), money(price), money(quantity * price))
                table.row([_printable(cell) for cell in cells])
            table.row(("", "Total in EUR", "", "", money(self.total_cents)), style=bold)


def read_order(db: sqlite3.Connection, order_number: str) -> PrintedOrder:
    """Return an order with its lines. Raises UnknownOrderError."""
    row = db.execute(
        """SELECT order_number, status, s.name AS supplier, s.email AS supplier_email,
            l.name AS location, expected_on, note, total_cents FROM purchase_orders AS o
            JOIN suppliers AS s ON s.id = o.supplier_id JOIN locations AS l ON l.id = o.location_id
            WHERE o.order_number = ?""",
        (order_number,),
    ).fetchone()
    if row is None:
        raise UnknownOrderError(f"No purchase order {order_number}.")
    lines = db.execute(
        """SELECT l.*, i.name FROM purchase_order_lines AS l JOIN items AS i USING (sku)
            WHERE l.order_id = (SELECT id FROM purchase_orders WHERE order_number = ?) ORDER BY l.position""",
        (order_number,),
    ).fetchall()
    return PrintedOrder(**dict(row), lines=tuple(lines))


def _printable(text: str) -> str:
    """Return a text with `?` for the characters that the fonts of every PDF reader do not have."""
    return text.encode("latin-1", "replace").decode("latin-1")
