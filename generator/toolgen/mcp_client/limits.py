"""Limits of what a server, a command or a URL may send."""

from __future__ import annotations

from toolgen.importers.imported_tool import SourceError

TIME_LIMIT = 60.0  # seconds for a source to answer: a URL, a command (which may be installed first), a module
_MESSAGE_BYTES = 1024  # of a budget, for each message of a server
_REQUEST_BYTES = 16 * 1024  # and for each of its requests


class ByteBudget:
    """The bytes that a source may still send. `renew` gives it all of them again."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name  # of the source, in messages
        self._size = self.left = size

    @property
    def excess(self) -> str:
        """Return that the source has sent too much, for messages; empty if it has not."""
        megabytes = self._size // 1024 // 1024
        return f"{self.name}: more than {megabytes} MB, or too many messages" if self.left < 0 else ""

    def spend(self, size: int, *, messages: int = 0, requests: int = 0) -> None:
        """Count bytes, and what messages and requests take beside them. Raises as `check` does."""
        self.left -= size + messages * _MESSAGE_BYTES + requests * _REQUEST_BYTES
        self.check()

    def check(self, cause: BaseException | None = None) -> None:
        """Raise SourceError if the source has sent too much."""
        if self.excess:
            raise SourceError(
                self.excess, "let it list less, or import a part of it", "too-complex"
            ) from cause

    def renew(self) -> None:
        """Begin to count anew, for the next answer."""
        self.left = self._size
