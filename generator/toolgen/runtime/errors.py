"""Errors that a caller is told: one class, the same text through every adapter."""

from __future__ import annotations

from typing import Any, ClassVar


class ToolError(Exception):
    """A fault that the caller is meant to read. Subclasses say the code, raising says the case.

    `message` defaults to the class's description; `details` is any JSON value for programs;
    `retry_after` is the number of seconds after which the call is worth repeating, where known.
    """

    code: ClassVar[str] = "error"
    description: ClassVar[str] = "The tool could not do what was asked."
    retryable: ClassVar[bool] = False  # the same call may succeed later
    hint: ClassVar[str] = ""  # what the caller should do instead

    def __init__(
        self, message: str | None = None, *, details: Any = None, retry_after: float | None = None
    ) -> None:
        text = self.description if message is None else str(message)
        self.message = text.encode(errors="backslashreplace").decode()  # half surrogate pairs cannot be sent
        self.details = details
        self.retry_after = retry_after
        super().__init__(self.message)

    def as_text(self) -> str:
        """The text that a model reads: code, message and, where there is one, what to do about it."""
        text = f"Error [{self.code}]: {self.message}"
        return f"{text}\nHint: {self.hint}" if self.hint else text

    def as_dict(self) -> dict[str, Any]:
        """Code, message, retryable, hint, details and, where known, retry_after as plain data."""
        data = {
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            "hint": self.hint,
            "details": self.details,
        }
        return data if self.retry_after is None else {**data, "retry_after": self.retry_after}


class InvalidRequestError(ToolError):
    """The arguments break the input schema; `message` has one line per fault."""

    code = "invalid_request"
    description = "The arguments are not valid."


class UnknownToolError(ToolError):
    """Nothing answers to the name."""

    code = "unknown_tool"
    description = "There is no such tool."


class NotImplementedToolError(ToolError):
    """The tool is listed, but this application has no implementation of it."""

    code = "not_implemented"
    description = "This tool is not implemented here."


class MissingDependencyError(ToolError):
    """A value that the implementation needs was not given by the application."""

    code = "missing_dependency"
    description = "The application has not provided what this tool needs."


class NotReadyError(ToolError):
    """The tool's `setup` failed; the next call tries it again. What happened is in the log."""

    code = "not_ready"
    description = "The tool could not be set up."
    retryable = True


class InsufficientScopeError(ToolError):
    """The caller is not allowed what the tool asks for."""

    code = "insufficient_scope"
    description = "The caller lacks a permission that this tool needs."


class ConfirmationRequiredError(ToolError):
    """The user must agree first, and could not be asked."""

    code = "confirmation_required"
    description = "This call needs the user's confirmation."


class DeclinedError(ToolError):
    """The user was asked and said no."""

    code = "declined"
    description = "The user declined this call."
    hint = "Do not repeat the call unless the user asks for it."


class ToolTimeoutError(ToolError):
    """The tool did not finish in the time its spec allows."""

    code = "timeout"
    description = "The tool did not finish in time."
    retryable = True


class ChangedSinceConfirmedError(ToolError):
    """What the user approved is not what would be done now; nothing was done."""

    code = "changed_since_confirmed"
    description = "Something changed after the user confirmed this call, so nothing was done."
    retryable = True
    hint = "Call the tool again; the user is asked about the new state."


class OverloadedError(ToolError):
    """No worker is free and the queue is full."""

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


class InvalidResponseError(ToolError):
    """The implementation broke the output schema. The faults are in the log, under the reference."""

    code = "invalid_response"
    description = "The tool ran, but its answer breaks its contract."


class InternalError(ToolError):
    """The implementation, or toolgen, failed. What happened is in the log, under the reference."""

    code = "internal_error"
    description = "The tool failed."


RUNTIME_ERRORS: tuple[type[ToolError], ...] = (
    InvalidRequestError,
    UnknownToolError,
    NotImplementedToolError,
    MissingDependencyError,
    NotReadyError,
    InsufficientScopeError,
    ConfirmationRequiredError,
    DeclinedError,
    ChangedSinceConfirmedError,
    ToolTimeoutError,
    OverloadedError,
    TooLargeError,
    HttpError,
    UnreachableError,
    InvalidResponseError,
    InternalError,
)
