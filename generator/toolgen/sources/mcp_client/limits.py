"""Limits of what a server, a command or a URL may send."""

from __future__ import annotations

from typing import Final

from toolgen.base import KIB, MIB
from toolgen.runtime.validation.strict_json import has_more_values
from toolgen.sources.imported_tool import SourceError

TIME_LIMIT = 60.0  # seconds for a source to answer: a URL, a command (which may be installed first), a module
_MESSAGE_BYTES: Final = 8 * KIB  # of a budget, for each message: it may be a request, which takes a task
VALUES: Final = 1_000_000  # of one message: a list of 10,000 tools has 500,000


class ByteBudget:
    """The bytes that a source may still send. `renew` gives it all of them again."""

    def __init__(self, name: str, size: int, *, values: int = VALUES) -> None:
        """`name` is that of the source, for messages; `values` may be in one message."""
        self.name = name
        self._size = self.left = size
        self._values, self._has_many_values = values, False

    @property
    def excess(self) -> SourceError | None:
        """The error that the source has sent too much; None if it has not."""
        if self.left >= 0 and not self._has_many_values:
            return None
        much = f"{self._size // MIB} MB, or too many messages"
        if self._has_many_values:
            much = f"{self._values:,} values in one message"
        return SourceError(
            f"{self.name}: more than {much}", "let it list less, or import a part of it", "too-complex"
        )

    def spend(self, size: int, *, messages: int = 0) -> None:
        """Count bytes, and what messages take beside them. Raises as `check` does."""
        self.left -= size + messages * _MESSAGE_BYTES
        self.check()

    def check_values(self, text: bytes) -> None:
        """Count the values of a message before it is parsed. Raises as `check` does."""
        # a flag: that later messages are small does not make the source reliable
        self._has_many_values |= has_more_values(text, self._values)
        self.check()

    def check(self) -> None:
        """Raise SourceError if the source has sent too much."""
        if self.excess is not None:
            raise self.excess

    def renew(self) -> None:
        """Begin to count anew, for the next answer."""
        self.left = self._size
