"""extend_loan."""

from __future__ import annotations

from generated.tools.extend_loan import (
    AlreadyReturnedError,
    ExtendedTwiceError,
    ExtendLoanRequest,
    ExtendLoanResponse,
    ExtendLoanTool,
    LoanNotFoundError,
    OverdueError,
)
from toolgen.runtime import ToolContext

from lending.store import Library, NotFoundError, RefusedError

ERRORS = {
    "already_returned": AlreadyReturnedError,
    "overdue": OverdueError,
    "extended_twice": ExtendedTwiceError,
}


class ExtendLoan(ExtendLoanTool):
    def execute(
        self, request: ExtendLoanRequest, context: ToolContext, *, library: Library
    ) -> ExtendLoanResponse:
        try:
            extended = library.extend(request.loan_id, request.months)
        except NotFoundError as fault:
            raise LoanNotFoundError(str(fault)) from fault
        except RefusedError as fault:
            raise ERRORS[fault.code](str(fault)) from fault
        return ExtendLoanResponse(
            loan_id=extended.loan_id,
            title=extended.title,
            old_due_on=extended.old_due_on.isoformat(),
            new_due_on=extended.new_due_on.isoformat(),
            extensions_left=extended.extensions_left,
        )
