"""Bytes as base64url without padding (RFC 4648, section 5), read strictly: one text for the same bytes."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, TypeAlias

from pydantic import AfterValidator


def encode(data: bytes) -> str:
    """Return bytes as base64url."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Return the bytes of a text. Raises ValueError if `encode` does not write it so."""
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        data = b""
    # the decoder skips characters that are not in its alphabet
    if encode(data) != text:
        raise ValueError("not base64url")
    return data


Base64Url: TypeAlias = Annotated[str, AfterValidator(lambda text: encode(decode(text)))]
"""A field whose text `decode` reads."""
