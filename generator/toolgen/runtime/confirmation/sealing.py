"""Seal confirmation tokens and tasks with Fernet, so that nobody else can create, change or read one."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Sequence
from typing import Final

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError

KEY_BYTES: Final = 32  # https://github.com/fernet/spec
NEW_KEY: Final = (
    "python -c 'import base64, secrets; print(base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())'"
)


class Sealer:
    """Converts bytes to tokens of URL-safe characters: with the first key, and back with any of the keys.

    So keys can be rotated. A token opens for the `purpose` for which it was sealed.

    Raises ModuleNotFoundError without `cryptography`.
    """

    def __init__(self, keys: Sequence[bytes], purpose: bytes) -> None:
        from cryptography.fernet import Fernet, InvalidToken, MultiFernet  # of an extra

        self._purpose, self._invalid = purpose, InvalidToken
        self._keys = MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])

    def seal(self, payload: bytes, bound_to: bytes = b"") -> str:
        """Return `payload` as a token, which can be opened with the same `bound_to` only."""
        return self._keys.encrypt(self._bound(bound_to) + payload).decode()

    def open(self, token: str, bound_to: bytes = b"") -> bytes | None:
        """Return the payload of a token that was sealed with one of the keys; None for any other token."""
        try:
            payload = self._keys.decrypt(token.encode())
        except (self._invalid, UnicodeEncodeError):  # half an emoji
            return None
        bound = self._bound(bound_to)
        return payload.removeprefix(bound) if payload.startswith(bound) else None

    def _bound(self, bound_to: bytes) -> bytes:
        return hashlib.sha256(self._purpose + bound_to).digest()


def parse_keys(text: str, variable: str = "TOOLGEN_CONFIRMATION_KEY") -> tuple[bytes, ...]:
    """Return the keys in a variable. Raises SettingError, which does not contain them."""
    keys = []
    for number, word in enumerate(text.split(","), 1):
        unpadded = word.strip().rstrip("=")
        try:
            key = base64.b64decode(unpadded + "=" * (-len(unpadded) % 4), altchars="-_", validate=True)
            fault = f"{len(key)} bytes"
        except ValueError:
            key, fault = b"", "not URL-safe base64"
        if len(key) != KEY_BYTES:
            raise SettingError(
                f"{variable} must be {KEY_BYTES} bytes in URL-safe base64, or several of them "
                f"separated by commas; key {number} is {fault}. Make one with: {NEW_KEY}"
            )
        keys.append(key)
    return tuple(dict.fromkeys(keys))


def sealer_of(keys: Sequence[bytes]) -> Sealer | None:
    """Return a sealer with `keys`; without keys, one with a random key of this process.

    Without `cryptography` raises SettingError if keys are set, else logs a warning and returns None.
    """
    try:
        return Sealer(keys or [secrets.token_bytes(KEY_BYTES)], b"toolgen/confirmation")
    except ModuleNotFoundError as error:
        missing = "the package cryptography: pip install 'toolgen[confirm]'"
        if keys:
            raise SettingError(f"TOOLGEN_CONFIRMATION_KEY needs {missing}") from error
        LOGGER.warning("there are no confirmation tokens, which need %s", missing)
        return None
