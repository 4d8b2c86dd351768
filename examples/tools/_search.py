"""What both searches tell their caller in words."""

from __future__ import annotations

from typing import Protocol

from examples.store.wording import count


class Found(Protocol):
    """What a search of the store gives back."""

    @property
    def total(self) -> int: ...
    @property
    def all_words(self) -> bool: ...


def counted(noun: str, shown: int, total: int) -> str:
    """One sentence: how many there are, and whether all of them are in the answer."""
    if total == 0:
        return f"No {noun} matches."
    found = f"Found {count(total, noun)}"
    return f"{found}." if shown == total else f"{found}; only the best {shown} shown."


def some_words(found: Found) -> list[str]:
    """A warning where only some of the words were found."""
    partly = found.total > 0 and not found.all_words
    return ["Nothing holds every word; these hold some of them."] if partly else []
