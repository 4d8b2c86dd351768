"""remove_member."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from generated.tools.remove_member import (
    BooksAtHomeError,
    FeesUnpaidError,
    MemberNotFoundError,
    RemoveMemberRequest,
    RemoveMemberResponse,
    RemoveMemberTool,
)
from toolgen.runtime import ToolContext

from lending.store import Library, NotFoundError, RefusedError, Removal, money

ERRORS = {"books_at_home": BooksAtHomeError, "fees_unpaid": FeesUnpaidError}


class RemoveMember(RemoveMemberTool):
    def preview(
        self, request: RemoveMemberRequest, context: ToolContext, *, library: Library
    ) -> RemoveMemberResponse:
        with _declared():
            planned = library.plan_removal(request.member_id, request.waive_fees)
        return _response(planned, is_preview=True, message=planned.describe())

    def execute(
        self, request: RemoveMemberRequest, context: ToolContext, *, library: Library
    ) -> RemoveMemberResponse:
        with _declared():
            removed = library.remove(
                request.member_id,
                request.waive_fees,
                lambda planned: context.check_approval(planned.describe()),
            )
        return _response(removed, is_preview=False, message=f"Removed {removed.name}.")


def _response(removal: Removal, *, is_preview: bool, message: str) -> RemoveMemberResponse:
    return RemoveMemberResponse(
        member_id=removal.member_id,
        name=removal.name,
        past_loans=removal.past_loans,
        waived=money(removal.waived_cents),
        is_preview=is_preview,
        message=message,
    )


@contextmanager
def _declared() -> Iterator[None]:
    try:
        yield
    except NotFoundError as fault:
        raise MemberNotFoundError(str(fault)) from fault
    except RefusedError as fault:
        raise ERRORS[fault.code](str(fault)) from fault
