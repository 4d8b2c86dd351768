"""How a request to a server fails: one table of what HTTP, messages, the SDK and processes report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from toolgen.runtime.errors import (
    HttpError,
    InsufficientScopeError,
    OutcomeUnknownError,
    OverloadedError,
    ToolError,
    ToolTimeoutError,
    UnreachableError,
)

Report = Callable[[str, str], None]
"""Gets what a server sent and that is dropped, as words behind "it sent": the kind, and the thing itself."""
KEY: Final = "toolgen/failure"  # in the data of errors that are made here, in place of an answer


def ignore(kind: str, sent: str) -> None:
    """Report nothing."""


class Failure(Enum):
    """A kind of failure by which a request has no result.

    Attributes:
        text: what the server does, after "the server".
        outcome: of a forwarded call.
        may_be_done: the server may have done what it was asked; else it has not.
    """

    UNREACHABLE = ("cannot be reached", UnreachableError, False)
    UNAUTHORIZED = ("does not accept the credentials", UnreachableError, False)
    UNSCOPED = ("wants a scope that the credentials lack", InsufficientScopeError, False)
    BUSY = ("has too much to do", OverloadedError, False)
    UNAVAILABLE = ("is not available", UnreachableError, True)
    REJECTED = ("does not take the request", HttpError, False)
    SESSION = ("does not know the session", UnreachableError, False)
    LOST = ("ended during the call", OutcomeUnknownError, True)
    FAILED = ("failed during the call", OutcomeUnknownError, True)
    INVALID = ("answered with something else than MCP", OutcomeUnknownError, True)
    LATE = ("did not answer in time", ToolTimeoutError, True)
    ENDLESS = ("asks the user again and again", UnreachableError, True)
    REFUSED = ("answered with a JSON-RPC error", ToolError, True)  # which is passed on

    def __init__(self, text: str, outcome: type[ToolError], may_be_done: bool) -> None:
        self.text, self.outcome, self.may_be_done = text, outcome, may_be_done


STATUSES: Final[Mapping[int, Failure]] = {
    **dict.fromkeys(range(100, 300), Failure.INVALID),  # without a message of MCP
    **dict.fromkeys(range(300, 400), Failure.UNREACHABLE),  # that is not followed
    **dict.fromkeys(range(400, 500), Failure.REJECTED),
    **dict.fromkeys((401, 403, 407), Failure.UNAUTHORIZED),
    **dict.fromkeys((404, 405, 408, 410, 421), Failure.UNREACHABLE),
    **dict.fromkeys((425, 429), Failure.BUSY),
    503: Failure.UNAVAILABLE,
}
"""Status (RFC 9110, section 15) of an HTTP response without an answer to its request; others are FAILED."""

CERTAIN: Final = (Failure.UNAUTHORIZED, Failure.BUSY, Failure.UNAVAILABLE, Failure.SESSION)
"""Of these an error of JSON-RPC in the body says no more than the status."""


class RequestFailedError(Exception):
    """A request has no result. The message says why, in words of the server where it has some.

    Attributes:
        failure: the kind of it.
        error: what was raised: the SDK's MCPError if the server refused the request.
        retry_after: seconds after which the server wants to be asked again, if it says so.
        status: of the HTTP response that reports it.
    """

    def __init__(
        self,
        failure: Failure,
        reason: str,
        error: BaseException | None = None,
        *,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.failure, self.error, self.retry_after, self.status = failure, error, retry_after, status


def of_answer(error: BaseException) -> RequestFailedError | None:
    """Return the failure that an MCPError of the SDK is made of; None if the error is the server's."""
    data: Any = getattr(getattr(error, "error", None), "data", None)
    if not isinstance(data, dict) or data.get(KEY) not in Failure.__members__:
        return None
    return RequestFailedError(
        Failure[data[KEY]],
        str(error),
        error,
        retry_after=data.get("retry_after"),
        status=data.get("status"),
    )
