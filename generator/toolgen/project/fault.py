"""What the world refuses: a fault that has no place in a file."""

from __future__ import annotations


class UnableError(Exception):
    """toolgen could not do what it was asked, and it is not toolgen's fault: exit code 2.

    `code` is a key of `toolgen.data.codes.CODES`; a fault with a place is a `SpecErrors` instead.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code = code
        self.message = message  # one sentence that names the offender
        self.hint = hint  # what to do
        super().__init__(message)


def reason(error: OSError) -> str:
    """Why the operating system said no, in its own words and without its numbers."""
    return (error.strerror or type(error).__name__).lower()
