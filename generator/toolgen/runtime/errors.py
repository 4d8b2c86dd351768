"""Errors that callers receive, with the same text through every adapter."""

from __future__ import annotations

from typing import Any, ClassVar


class ToolError(Exception):
    """An error for the caller to read. A subclass defines the code, an instance the message.

    Args:
        message: defaults to the class's description.
        details: any JSON value, for programs.
        retry_after: seconds after which the call may succeed, if known.
    """

    code: ClassVar[str] = "error"
    description: ClassVar[str] = "The tool could not do what was asked."
    retryable: ClassVar[bool] = False  # the same call may succeed later
    hint: ClassVar[str] = ""  # for the caller: what to do instead

    def __init__(
        self, message: str | None = None, *, details: Any = None, retry_after: float | None = None
    ) -> None:
        text = self.description if message is None else str(message)
        self.message = text.encode(errors="backslashreplace").decode()  # lone surrogates cannot be sent
        self.details = details
        self.retry_after = retry_after
        super().__init__(self.message)

    def as_text(self) -> str:
        """Return the text for a model: code, message and, if there is one, the hint."""
        text = f"Error [{self.code}]: {self.message}"
        return f"{text}\nHint: {self.hint}" if self.hint else text

    def as_dict(self) -> dict[str, Any]:
        """Return code, message, retryable, hint, details and, if known, retry_after."""
        data = {key: getattr(self, key) for key in ("code", "message", "retryable", "hint", "details")}
        return data if self.retry_after is None else {**data, "retry_after": self.retry_after}


class InvalidRequestError(ToolError):
    """The arguments are not valid by the input schema; `message` has one line per fault."""

    code = "invalid_request"
    description = "The arguments are not valid."


class UnknownToolError(ToolError):
    """No tool has the name."""

    code = "unknown_tool"
    description = "There is no such tool."


class NotImplementedToolError(ToolError):
    """The tool is listed, but this application has no implementation of it."""

    code = "not_implemented"
    description = "This tool is not implemented here."


class MissingDependencyError(ToolError):
    """The application has not provided a value that the implementation needs."""

    code = "missing_dependency"
    description = "The application has not provided what this tool needs."


class NotReadyError(ToolError):
    """The tool's `setup` failed; the next call tries again. The log has the exception."""

    code = "not_ready"
    description = "The tool could not be set up."
    retryable = True


class InsufficientScopeError(ToolError):
    """The caller lacks a scope that the tool needs."""

    code = "insufficient_scope"
    description = "The caller lacks a permission that this tool needs."


class ConfirmationRequiredError(ToolError):
    """The user has to agree first, and could not be asked."""

    code = "confirmation_required"
    description = "This call needs the user's confirmation."


class DeclinedError(ToolError):
    """The user was asked and said no."""

    code = "declined"
    description = "The user declined this call."
    hint = "Do not repeat the call unless the user asks for it."


class QuestionCancelledError(ToolError):
    """The user was asked and closed the question without an answer."""

    code = "cancelled"
    description = "The user closed the question without an answer, so nothing was done."
    hint = "Ask the user whether to repeat the call."


class ToolTimeoutError(ToolError):
    """The tool did not finish within its `timeout`."""

    code = "timeout"
    description = "The tool did not finish in time."
    retryable = True


class ChangedSinceConfirmedError(ToolError):
    """The call would not do what the user approved; nothing was done."""

    code = "changed_since_confirmed"
    description = "Something changed after the user confirmed this call, so nothing was done."
    retryable = True
    hint = "Call the tool again; the user is asked about the new state."


class OverloadedError(ToolError):
    """No worker is free, and the queue is full or the call has waited too long."""

    code = "overloaded"
    description = "The tool is busy."
    retryable = True


class TooLargeError(ToolError):
    """A request, result or stream is larger than its limit."""

    code = "too_large"
    description = "The request or the result is too large."


class HttpError(ToolError):
    """An HTTP API or an upstream server answered with an error."""

    code = "http_error"
    description = "The service behind this tool answered with an error."


class UnreachableError(ToolError):
    """An HTTP API or an upstream server could not be reached."""

    code = "unreachable"
    description = "The service behind this tool could not be reached."
    retryable = True


class UpstreamChangedError(ToolError):
    """An upstream server lists the tool in another way than when it was reviewed."""

    code = "upstream_changed"
    description = "The server behind this tool has changed it since it was reviewed."


class RateLimitedError(ToolError):
    """The caller, or the tool, is over its limit of calls; nothing was done."""

    code = "rate_limited"
    description = "There were too many calls, so nothing was done."
    retryable = True


class IdempotencyConflictError(ToolError):
    """The idempotency key was used for a call with other arguments; nothing was done."""

    code = "idempotency_conflict"
    description = "This idempotency key was used with other arguments, so nothing was done."
    hint = "Use a new key for a new call."


class OutcomeUnknownError(ToolError):
    """After the call had begun, its process died, its connection ended, or it was cancelled."""

    code = "outcome_unknown"
    description = "The call began, and nobody knows how it ended."
    hint = "The call may have been done: find that out before you make it again."


class InvalidResponseError(ToolError):
    """The result breaks the tool's contract. The log has the faults, with the reference."""

    code = "invalid_response"
    description = "The tool ran, but its answer breaks its contract."


class InternalError(ToolError):
    """The implementation, or toolgen, failed. The log has the exception, with the reference."""

    code = "internal_error"
    description = "The tool failed."


# every class above: an error cannot be left out
RUNTIME_ERRORS: tuple[type[ToolError], ...] = tuple(ToolError.__subclasses__())
