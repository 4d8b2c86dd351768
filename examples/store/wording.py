"""Words for people and models."""

from __future__ import annotations

import hashlib


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def digest(*parts: bytes) -> str:
    """The beginning of a SHA-256 over the parts and their lengths, for people to compare."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8) + part)
    return whole.hexdigest()[:32]


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8: no half of a surrogate pair is in it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
