"""Bearer tokens in a file: for few callers, without an authorization server.

The file is TOML: one `[[tokens]]` table for each token, with `principal`, `sha256` (of the token,
hexadecimal) or `token` (itself), and optionally `scopes` and `expires` (a date and time with its offset).
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from mcp.server.auth.provider import AccessToken

from toolgen.base.files import IrregularFileError, open_named
from toolgen.base.files.secret_files import is_readable_by_others, writer_fault
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError

MAX_BYTES: Final = 1024 * 1024
MAX_TOKEN: Final = 4096  # characters
SHORTEST_TOKEN: Final = 20  # characters: shorter ones can be guessed
KEYS: Final = ("principal", "sha256", "token", "scopes", "expires")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _FileToken:
    digest: bytes
    principal: str
    scopes: tuple[str, ...]
    expires_at: int | None  # seconds since 1970


class TokenFile:
    """Verifies bearer tokens with those of a file, as it was when it was read."""

    def __init__(self, entries: tuple[_FileToken, ...]) -> None:
        self._entries = entries

    @classmethod
    def read(cls, path: str) -> TokenFile:
        """Read a file of tokens. Raises SettingError, whose message contains no value of the file."""
        try:
            with open_named(path) as file:
                status = os.fstat(file.fileno())
                text = file.read(MAX_BYTES + 1).decode()
            # one more byte than the limit was read
            if len(text) > MAX_BYTES:
                raise IrregularFileError(path)
            given = tomllib.loads(text)
        except IrregularFileError:
            raise _error(f"{path} is not a file of at most {MAX_BYTES} bytes") from None
        except OSError as error:
            raise _error(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise _error(f"{path} is not UTF-8") from None
        except RecursionError:
            raise _error(f"{path} is nested too deeply") from None
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"\(at [^()]*\)$", str(error))
            raise _error(f"{path} is not TOML{f' {place[0]}' if place else ''}") from None
        tables = given.get("tokens")
        if set(given) != {"tokens"} or not isinstance(tables, list) or not tables:
            raise _error(f"{path} must consist of [[tokens]] tables, at least one")
        entries = tuple(_entry(table, f"{path}, token {number}") for number, table in enumerate(tables, 1))
        if len({entry.digest for entry in entries}) < len(entries):
            raise _error(f"{path} has a token twice")
        if fault := writer_fault(path, status):
            raise _error(fault)
        if is_readable_by_others(status):
            if any("token" in table for table in tables):
                raise _error(f"others may read the tokens in {path}: chmod 600 {path}, or use sha256")
            LOGGER.warning("others may read %s, the hashes of bearer tokens", path)
        return cls(entries)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the claims of a token; None if it is unknown or has expired."""
        if len(token) > MAX_TOKEN or not _TOKEN.fullmatch(token):
            return None
        digest = hashlib.sha256(token.encode()).digest()
        found: _FileToken | None = None
        for entry in self._entries:  # all of them, so that the time does not depend on the token
            if hmac.compare_digest(entry.digest, digest):
                found = entry
        if found is None or (found.expires_at is not None and found.expires_at <= time.time()):
            return None
        return AccessToken(
            token=token,
            client_id=found.principal,
            subject=found.principal,
            scopes=list(found.scopes),
            expires_at=found.expires_at,
        )


def _error(fault: str) -> SettingError:
    return SettingError(f"--auth-tokens: {fault}")


def _entry(table: Any, place: str) -> _FileToken:
    def refuse(reason: str) -> SettingError:
        return _error(f"{place}: {reason}")

    if not isinstance(table, Mapping) or not set(table) <= set(KEYS):
        raise refuse(f"its keys may be {', '.join(KEYS)}")
    principal, scopes, expires = table.get("principal"), table.get("scopes", []), table.get("expires")
    if not isinstance(principal, str) or not principal.strip():
        raise refuse("principal must say who uses the token")
    if not isinstance(scopes, list) or not all(isinstance(each, str) and each for each in scopes):
        raise refuse("scopes must be a list of texts")
    if expires is not None and not (isinstance(expires, datetime) and expires.tzinfo is not None):
        raise refuse("expires must be a date and time with its offset, as 2030-01-31T12:00:00Z")
    if ("token" in table) == ("sha256" in table):
        raise refuse("needs either sha256 or token")
    if "sha256" in table:
        text = table["sha256"]
        if not isinstance(text, str) or not _SHA256.fullmatch(text.lower()):
            raise refuse("sha256 must be 64 hexadecimal digits")
        digest = bytes.fromhex(text)
    else:
        text = table["token"]
        if not isinstance(text, str) or not _TOKEN.fullmatch(text) or len(text) > MAX_TOKEN:
            raise refuse("token may have letters, digits and - . _ ~ + / and end with =")
        if len(text) < SHORTEST_TOKEN:
            raise refuse(f"token must have {SHORTEST_TOKEN} characters or more")
        digest = hashlib.sha256(text.encode()).digest()
    return _FileToken(digest, principal, tuple(scopes), None if expires is None else int(expires.timestamp()))
