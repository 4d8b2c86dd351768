"""Seal confirmation tokens and tasks, so that nobody else can create or change one: AES-256-GCM."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Sequence
from typing import Any, Final

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError

KEY_BYTES: Final = 32
NEW_KEY: Final = (
    "python -c 'import base64, secrets; print(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())'"
)

_PURPOSE: Final = b"toolgen/confirmation/v1"  # other uses of the same key derive other keys
_NONCE_BYTES: Final = 12
_KEY: Final = re.compile(r"[A-Za-z0-9_-]+={0,2}")


class AesGcmSealer:
    """Converts bytes to tokens of URL-safe characters: with the first key, and back with any of the keys.

    So keys can be rotated.

    Raises ModuleNotFoundError without `cryptography`.
    """

    def __init__(self, keys: Sequence[bytes], purpose: bytes = _PURPOSE) -> None:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._purpose = purpose
        self._ciphers: list[Any] = [AESGCM(_derived(key, purpose)) for key in keys]
        self._invalid: type[Exception] = InvalidTag

    def seal(self, payload: bytes, bound_to: bytes = b"") -> str:
        """Return `payload` as a token, which can be opened with the same `bound_to` only."""
        nonce = os.urandom(_NONCE_BYTES)
        return _text(nonce + self._ciphers[0].encrypt(nonce, payload, self._purpose + bound_to))

    def open(self, token: str, bound_to: bytes = b"") -> bytes | None:
        """Return the payload of a token that was sealed with one of the keys; None for any other token."""
        raw = _bytes(token)
        if raw is None or len(raw) <= _NONCE_BYTES:
            return None
        for cipher in self._ciphers:
            try:
                payload: bytes = cipher.decrypt(
                    raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], self._purpose + bound_to
                )
            except self._invalid:
                continue
            return payload
        return None


def parse_keys(text: str, variable: str = "TOOLGEN_CONFIRMATION_KEY") -> tuple[bytes, ...]:
    """Return the keys in a variable. Raises SettingError, which does not contain them."""
    keys = []
    for number, word in enumerate(text.split(","), 1):
        key = _decoded(word.strip())
        if key is None or len(key) != KEY_BYTES:
            found = "not URL-safe base64" if key is None else f"{len(key)} bytes"
            raise SettingError(
                f"{variable} must be {KEY_BYTES} bytes in URL-safe base64, or several of them "
                f"separated by commas; key {number} is {found}. Make one with: {NEW_KEY}"
            )
        keys.append(key)
    return tuple(dict.fromkeys(keys))


def sealer_of(keys: Sequence[bytes]) -> AesGcmSealer | None:
    """Return a sealer with `keys`; without keys, one with a random key of this process.

    Without `cryptography` raises SettingError if keys are set, else logs a warning and returns None.
    """
    try:
        return AesGcmSealer(keys or [secrets.token_bytes(KEY_BYTES)])
    except ModuleNotFoundError as error:
        missing = "the package cryptography: pip install 'toolgen[confirm]'"
        if keys:
            raise SettingError(f"TOOLGEN_CONFIRMATION_KEY needs {missing}") from error
        LOGGER.warning("there are no confirmation tokens, which need %s", missing)
        return None


def _derived(key: bytes, purpose: bytes = _PURPOSE) -> bytes:
    """Return a key for one purpose only (HKDF-Expand of RFC 5869, one block: the input is random)."""
    return hmac.digest(key, purpose + b"\x01", hashlib.sha256)


def _decoded(word: str) -> bytes | None:
    if not _KEY.fullmatch(word):
        return None
    unpadded = word.rstrip("=")
    try:
        return base64.urlsafe_b64decode(unpadded + "=" * (-len(unpadded) % 4))
    except binascii.Error:
        return None


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes(token: str) -> bytes | None:
    raw = _decoded(token)
    # base64 has several spellings of the same bytes
    return raw if raw is not None and _text(raw) == token else None
