"""Pieces of sentences: what every message says in the same way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

MAX_COMPARED = 200  # names looked at for a near miss; thousands of properties would take seconds


def quoted(text: str, limit: int = 60) -> str:
    """Text of a spec as a message shows it: quoted, on one line, not endless."""
    shown = text if text.isprintable() else repr(text)[1:-1]
    return f"'{shown}'" if len(shown) <= limit else f"'{shown[: limit - 1]}…'"


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A hint that names the nearest of `known`, or no hint."""
    from difflib import get_close_matches  # dear, and for faults only

    folded = {name.lower(): name for name in islice(known, MAX_COMPARED)}
    near = get_close_matches(word.lower(), folded, n=1, cutoff=cutoff)
    return f"did you mean {folded[near[0]]!r}?" if near else ""


def shortened(text: str, limit: int = 160) -> str:
    """`text` without its middle where it is long, as what a validator says of a long value is."""
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 2 :]}"
