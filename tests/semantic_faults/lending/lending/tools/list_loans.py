"""list_loans."""

from __future__ import annotations

from generated.tools.list_loans import (
    ListLoansRequest,
    ListLoansResponse,
    ListLoansTool,
    MemberNotFoundError,
)
from toolgen.runtime import ToolContext

from lending.store import Library, NotFoundError


class ListLoans(ListLoansTool):
    def execute(
        self, request: ListLoansRequest, context: ToolContext, *, library: Library
    ) -> ListLoansResponse:
        try:
            loans, total = library.list_loans(
                request.member_id, request.overdue_only, request.page, request.page_size
            )
        except NotFoundError as fault:
            raise MemberNotFoundError(str(fault)) from fault
        is_last = request.page * request.page_size >= total
        return ListLoansResponse.model_validate(
            {
                "loans": [
                    {
                        "loan_id": loan.loan_id,
                        "member_id": loan.member_id,
                        "title": loan.title,
                        "due_on": loan.due_on.isoformat(),
                        "days_left": loan.days_left,
                    }
                    for loan in loans
                ],
                "total": total,
                "next_page": None if is_last else request.page + 1,
            }
        )
