"""pay_fees."""

from __future__ import annotations

from generated.tools.pay_fees import (
    MemberNotFoundError,
    NoAmountError,
    NothingDueError,
    PayFeesRequest,
    PayFeesResponse,
    PayFeesTool,
    ReceiptUsedError,
)
from toolgen.runtime import ToolContext

from lending.store import Library, NotFoundError, RefusedError, cents, money

ERRORS = {"no_amount": NoAmountError, "nothing_due": NothingDueError, "receipt_used": ReceiptUsedError}


class PayFees(PayFeesTool):
    def execute(self, request: PayFeesRequest, context: ToolContext, *, library: Library) -> PayFeesResponse:
        try:
            payment = library.pay(request.member_id, cents(request.amount), request.receipt)
        except NotFoundError as fault:
            raise MemberNotFoundError(str(fault)) from fault
        except RefusedError as fault:
            raise ERRORS[fault.code](str(fault)) from fault
        return PayFeesResponse.model_validate(
            {
                "paid": [
                    {"fee_id": fee.fee_id, "reason": fee.reason, "amount": money(fee.cents)}
                    for fee in payment.paid
                ],
                "open": money(payment.open_cents),
                "change": money(payment.change_cents),
            }
        )
