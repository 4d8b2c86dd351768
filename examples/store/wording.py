"""Numbers and digests in texts for people and models."""

from __future__ import annotations

import hashlib


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def digest(*parts: bytes) -> str:
    """Return the beginning of a SHA-256 over the parts and their lengths, for people to compare."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8) + part)
    return whole.hexdigest()[:32]


def is_unicode(text: str) -> bool:
    """True if the text can be encoded in UTF-8, which has no lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
