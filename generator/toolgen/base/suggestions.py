"""Parts of messages: suggestions for misspelt names ("did you mean …?"), quoted texts, counted nouns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, Self

from toolgen.base.escaping.characters import printable

MOST_LISTED: Final = 5  # names in a message
MAX_COMPARED = 200  # names; comparing thousands of properties would take seconds


def quoted(text: str, limit: int = 80) -> str:
    """Return `text` in quotes, on one line, cut to `limit` characters."""
    shown = printable(text)
    return f"'{shown}'" if len(shown) <= limit else f"'{shown[: limit - 1]}…'"


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the most similar of `known`, ignoring case; None if none is similar enough."""
    from difflib import get_close_matches  # expensive to import, and needed for errors only

    folded = {name.lower(): name for name in islice(known, MAX_COMPARED)}
    found = get_close_matches(word.lower(), folded, n=1, cutoff=cutoff)
    return folded[found[0]] if found else None


class Suggestion(str):
    """A hint that names a word to write, with that word, for an editor that writes it."""

    def __new__(cls, hint: str, word: str = "", instead: str = "") -> Self:
        self = super().__new__(cls, hint)
        self.word, self.instead = word, instead  # what is written, and what to write instead
        return self

    word: str
    instead: str


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a hint that names the nearest of `known`, a `Suggestion`; empty if none is similar enough."""
    found = nearest(word, known, cutoff)
    return "" if found is None else suggest(word, found)


def suggest(word: str, instead: str) -> Suggestion:
    """Return the hint that `instead` is meant where `word` is written."""
    return Suggestion(f"did you mean {instead!r}?", word, instead)


def count(number: int, noun: str) -> str:
    """Return number and noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int = MOST_LISTED) -> str:
    """Return the first names, and how many there are beside them: `a, b, c, d, e and 3 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, on one line of at most 100 characters."""
    found = re.match(r"(?s).{1,400}?[.!?](?=\s|$)", text.strip()[:500])
    return shortened(" ".join((found[0] if found else text[:500]).split()), 100)


def shortened(text: str, limit: int = 160) -> str:
    """Return `text` without its middle if it is longer than `limit`, as validators' messages can be."""
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 2 :]}"
