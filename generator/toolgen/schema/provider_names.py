"""Names of properties and definitions for providers that take only ASCII letters, digits and a few others."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from hashlib import sha256


def ascii_name(name: str, fallback: str, *, hyphens: bool = False, limit: int = sys.maxsize) -> str:
    """Return `name` in at most `limit` ASCII letters, digits, `_` and, if they may stay, hyphens.

    `StartTime<` is `StartTime_`. Letters of other alphabets are replaced by a hash of the name: names that
    consist of them would all be the same, and numbers would change with the properties beside them.
    """
    kept = re.sub(r"[^a-zA-Z0-9_-]" if hyphens else r"[^a-zA-Z0-9_]", "_", name)
    if not any(char.isalnum() and not char.isascii() for char in name):
        return kept[:limit] or fallback
    ending = f"_{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return kept.strip("_")[: limit - len(ending)] + ending


class ProviderNames:
    """Names that are given once each, in the order of requests."""

    def __init__(self, taken: Iterable[str] = (), *, limit: int = sys.maxsize) -> None:
        self._taken = {*taken}
        self._limit = limit
        self._numbers: dict[str, int] = {}  # by name: how far it was searched

    def add(self, name: str) -> str:
        """Return `name`, or the first of `name_2`, `name_3`… that was not given yet."""
        found, number = name, self._numbers.get(name, 1)
        while found in self._taken:
            number += 1
            ending = f"_{number}"
            found = name[: self._limit - len(ending)] + ending
        self._numbers[name] = number
        self._taken.add(found)
        return found
