"""verify_order_document against the shop's purchase orders."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import ToolContext

from examples.store import verification
from examples.store.fulfilment import UnknownOrderError
from examples.store.orders import cents
from examples.store.wording import count
from generated.models.verify_order_document import Mismatch
from generated.tools.verify_order_document import (
    OrderNotFoundError,
    VerifyOrderDocumentRequest,
    VerifyOrderDocumentResponse,
    VerifyOrderDocumentTool,
)


class VerifyOrderDocument(VerifyOrderDocumentTool):
    def execute(
        self, request: VerifyOrderDocumentRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> VerifyOrderDocumentResponse:
        lines = [
            verification.DocumentLine(line.sku, line.quantity, _cents(line.unit_price))
            for line in request.lines
        ]
        try:
            found = verification.verify(db, request.order_number, lines, _cents(request.total))
        except UnknownOrderError as fault:
            raise OrderNotFoundError(str(fault)) from fault
        number, agrees = found.order_number, not found.mismatches
        is_open = found.status in ("ordered", "partly_received")
        say = f"The document agrees with {number}." if agrees else f"{_counted(found)} from {number}."
        return VerifyOrderDocumentResponse.model_validate(
            {
                "order_number": number,
                "supplier_name": found.supplier,
                "order_status": found.status,
                "matches": agrees,
                "mismatches": [_mismatch(each) for each in found.mismatches],
                "message": say,
                "warnings": [] if is_open else [f"{number} is {found.status} already."],
                "next_actions": _next(found, is_open),
            }
        )


def _cents(amount: str | None) -> int | None:
    return None if amount is None else cents(amount)


def _counted(found: verification.Verification) -> str:
    differs = count(len(found.mismatches), "difference")
    return f"The document has {differs}"


def _mismatch(found: verification.Mismatch) -> Mismatch:
    return Mismatch(kind=found.kind, sku=found.sku, ordered=found.ordered, documented=found.documented)


def _next(found: verification.Verification, is_open: bool) -> list[str]:
    if found.mismatches:
        return [f"Ask {found.supplier} about the differences before anything is booked or paid."]
    return [f"Book the goods with receive_purchase_order {found.order_number}."] if is_open else []
