"""Bearer tokens in a file: for few callers, without an authorization server.

The file is TOML: one `[[tokens]]` table for each token, with `principal`, `sha256` (of the token,
hexadecimal) or `token` (itself), and optionally `scopes` and `expires` (a date and time with its offset).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from typing import Annotated, Final, Self

from mcp.server.auth.provider import AccessToken
from pydantic import AwareDatetime, BaseModel, Field, model_validator

from toolgen.base.files.secret_files import is_readable_by_others
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.operator_file import read_operator_file
from toolgen.runtime.settings import SettingError

MAX_TOKEN: Final = 4096  # characters
SHORTEST_TOKEN: Final = 20  # characters: shorter ones can be guessed
_TOKEN: Final = r"^[A-Za-z0-9._~+/-]+=*$"  # noqa: S105  a pattern: RFC 6750, section 2.1


class TokenEntry(BaseModel, extra="forbid", strict=True):
    """A token: a table of the file."""

    principal: Annotated[str, Field(pattern=r"\S")]  # who uses the token
    sha256: Annotated[str, Field(pattern=r"^[0-9A-Fa-f]{64}$")] | None = None
    token: Annotated[str, Field(pattern=_TOKEN, min_length=SHORTEST_TOKEN, max_length=MAX_TOKEN)] | None = (
        None
    )
    scopes: list[Annotated[str, Field(min_length=1)]] = []
    expires: AwareDatetime | None = None

    @model_validator(mode="after")
    def _has_one_token(self) -> Self:
        if (self.sha256 is None) == (self.token is None):
            raise ValueError("needs either sha256 or token")
        return self

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the token."""
        if self.sha256 is not None:
            return bytes.fromhex(self.sha256)
        return hashlib.sha256((self.token or "").encode()).digest()


class _Tables(BaseModel, extra="forbid"):
    tokens: Annotated[list[TokenEntry], Field(min_length=1)]


class TokenFile:
    """Verifies bearer tokens with those of a file, as it was when it was read."""

    def __init__(self, entries: list[TokenEntry]) -> None:
        self._entries = [(entry.digest, entry) for entry in entries]

    @classmethod
    def read(cls, path: str) -> TokenFile:
        """Read a file of tokens. Raises SettingError, whose message contains no value of the file."""
        tables, status, _ = read_operator_file("--auth-tokens", path, _Tables)
        entries = tables.tokens
        if len({entry.digest for entry in entries}) < len(entries):
            raise _error(f"{path} has a token twice")
        if is_readable_by_others(status):
            if any(entry.token for entry in entries):
                raise _error(f"others may read the tokens in {path}: chmod 600 {path}, or use sha256")
            LOGGER.warning("others may read %s, the hashes of bearer tokens", path)
        return cls(entries)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the claims of a token; None if it is unknown or has expired."""
        if len(token) > MAX_TOKEN or not re.fullmatch(_TOKEN, token):
            return None
        given = hashlib.sha256(token.encode()).digest()
        found: TokenEntry | None = None
        for digest, entry in self._entries:  # all of them, so that the time does not depend on the token
            if hmac.compare_digest(digest, given):
                found = entry
        expires_at = None if found is None or found.expires is None else int(found.expires.timestamp())
        if found is None or (expires_at is not None and expires_at <= time.time()):
            return None
        return AccessToken(
            token=token,
            client_id=found.principal,
            subject=found.principal,
            scopes=found.scopes,
            expires_at=expires_at,
        )


def _error(fault: str) -> SettingError:
    return SettingError(f"--auth-tokens: {fault}")
