"""Messages and warnings of the search tools."""

from __future__ import annotations

from typing import Protocol

from examples.store.wording import count


class Found(Protocol):
    """The result of a search in the store."""

    @property
    def total(self) -> int: ...
    @property
    def all_words(self) -> bool: ...


def counted(noun: str, shown: int, total: int) -> str:
    """Return a sentence: how many were found, and whether the answer has all of them."""
    if total == 0:
        return f"No {noun} matches."
    found = f"Found {count(total, noun)}"
    return f"{found}." if shown == total else f"{found}; only the best {shown} shown."


def some_words(found: Found) -> list[str]:
    """Return a warning if only some of the words were found."""
    partly = found.total > 0 and not found.all_words
    return ["Nothing holds every word; these hold some of them."] if partly else []
