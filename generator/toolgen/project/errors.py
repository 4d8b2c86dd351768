"""Errors without a place in a file: the system, the installation or the command line is the reason."""

from __future__ import annotations


class UnableError(Exception):
    """toolgen could not do what it was asked to, and the cause is outside of it: exit code 2.

    `code` is a key of `toolgen.language.codes.CODES`; an error with a place in a file is a `SpecErrors`.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code = code
        self.message = message  # one sentence that names the file, flag or setting
        self.hint = hint  # what to do
        super().__init__(message)


def reason(error: OSError) -> str:
    """Return the operating system's explanation, without its number."""
    return (error.strerror or type(error).__name__).lower()
