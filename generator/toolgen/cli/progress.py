"""A word now and then, while the models of many tools are made."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, MutableMapping

from toolgen.cli.out import say

_PATIENCE = 1.0  # seconds that nobody minds
_CLEAR = "\r\x1b[K"


class Watched(MutableMapping[str, bytes]):
    """A cache that says on a terminal how far its reader has come. Every tool is looked up once."""

    def __init__(self, cache: MutableMapping[str, bytes], total: int) -> None:
        self._cache = cache
        self._total = total
        self._looked_up = 0
        self._next = time.monotonic() + _PATIENCE if sys.stderr.isatty() else float("inf")
        self._spoke = False

    def __getitem__(self, key: str) -> bytes:
        self._looked_up += 1
        if time.monotonic() > self._next:
            say(f"{_CLEAR}making models: {self._looked_up} of {self._total}", end="")
            self._next, self._spoke = time.monotonic() + 0.1, True
        return self._cache[key]

    def __setitem__(self, key: str, value: bytes) -> None:
        self._cache[key] = value

    def __delitem__(self, key: str) -> None:
        del self._cache[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cache)

    def __len__(self) -> int:
        return len(self._cache)

    def done(self) -> None:
        """Leave the line as it was found."""
        if self._spoke:
            say(_CLEAR, end="")
