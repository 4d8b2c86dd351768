"""Access tokens of an issuer: JWTs verified with its published keys (RFC 7519, RFC 9068, RFC 7517)."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import jwt
from mcp.client.auth.utils import build_oauth_authorization_server_metadata_discovery_urls
from mcp.server.auth.provider import AccessToken
from pydantic_core import from_json
from starlette.authentication import AuthenticationError

from toolgen.base import KIB
from toolgen.runtime.health import HEALTH
from toolgen.runtime.logs.logger import LOGGER

from .addresses import is_loopback, is_trusted_url

FRESH_SECONDS: Final = 300  # until keys are fetched again
USABLE_SECONDS: Final = 3600  # for keys while the issuer does not answer
PAUSE_SECONDS: Final = 10  # at least, between two fetches
FETCH_SECONDS: Final = 5  # for the issuer to answer
MAX_BYTES: Final = 256 * KIB  # of its answer
MAX_KEYS: Final = 100  # in it: issuers have two or three
MIN_RSA_BITS: Final = 2048  # RFC 7518, section 3.3
_PART: Final = "keys of the token issuer"
KEY_TYPES: Final = ("RSA", "EC", "OKP")


class KeysUnavailableError(AuthenticationError):
    """The keys of the issuer are needed and not available."""


class _FetchError(Exception):
    """The issuer's answer cannot be used."""


class KeySet:
    """The signing keys that an issuer publishes. For one event loop."""

    def __init__(self, issuer: str, url: str | None) -> None:
        self._issuer = issuer
        self._url = url  # None until it is discovered
        self._keys: list[dict[str, Any]] | None = None
        self._fetched_at = self._tried_at = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, key_id: object, algorithm: str) -> jwt.PyJWK | None:
        """Return the key with an id, or the only key for a token without one; None if there is none.

        Raises KeysUnavailableError, and PyJWTError for a key that is not one of the algorithm.
        """
        if self._keys is None or monotonic() - self._fetched_at > FRESH_SECONDS:
            await self._refresh()
        key = self._published(key_id)
        if key is None:
            await self._refresh()  # the issuer may have new keys
            key = self._published(key_id)
        # RFC 7517, section 4.4: the key is intended for one algorithm
        if key is None or key.get("alg", algorithm) != algorithm:
            return None
        found = jwt.PyJWK(key, algorithm=algorithm)
        return None if key["kty"] == "RSA" and found.key.key_size < MIN_RSA_BITS else found

    def _published(self, key_id: object) -> dict[str, Any] | None:
        keys = self._keys or []
        if key_id is None:
            # RFC 7515 makes `kid` optional; with several keys, trying each would cost too much
            return keys[0] if len(keys) == 1 else None
        return next((key for key in keys if key.get("kid") == key_id), None)

    async def _refresh(self) -> None:
        """Fetch the keys, at most once in PAUSE_SECONDS."""
        async with self._lock:
            # a token with an unknown key id must not make each request fetch them
            if monotonic() - self._tried_at >= PAUSE_SECONDS:
                self._tried_at = monotonic()
                try:
                    self._keys = await self._fetch_keys()
                except (_FetchError, httpx2.HTTPError, TimeoutError, ValueError, RecursionError) as error:
                    reason = error if isinstance(error, _FetchError) else type(error).__name__
                    LOGGER.warning("the keys of the token issuer could not be fetched: %s", reason)
                    HEALTH.degrade(_PART, str(reason))
                else:
                    HEALTH.recover(_PART)
                    self._fetched_at = monotonic()
        if self._keys is None or monotonic() - self._fetched_at > USABLE_SECONDS:
            raise KeysUnavailableError

    async def _fetch_keys(self) -> list[dict[str, Any]]:
        if self._url is None:
            self._url = await self._discover()
        keys = (await _fetch(self._url)).get("keys")
        if not isinstance(keys, list) or len(keys) > MAX_KEYS:
            raise _FetchError(f"a key set has at most {MAX_KEYS} keys")
        return [
            key
            for key in keys
            if isinstance(key, dict) and key.get("kty") in KEY_TYPES and key.get("use", "sig") == "sig"
        ]

    async def _discover(self) -> str:
        """Return the URL of the keys, from the issuer's metadata (RFC 8414, or OpenID Connect)."""
        for place in build_oauth_authorization_server_metadata_discovery_urls(self._issuer, self._issuer):
            try:
                metadata = await _fetch(place)
            except _FetchError:
                continue
            found = metadata.get("jwks_uri")
            # RFC 8414, section 3.3: the values must be identical
            if metadata.get("issuer") != self._issuer:
                raise _FetchError("its metadata is that of another issuer")
            if not isinstance(found, str) or not is_trusted_url(found):
                raise _FetchError("its metadata has no jwks_uri with https")
            return found
        raise _FetchError("it publishes no metadata: set --auth-jwks")


async def _fetch(url: str) -> dict[str, Any]:
    """Fetch a JSON object, within limits of size and time, and without following redirects."""
    local = is_loopback(urlsplit(url).hostname or "")  # never through a proxy
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    body = bytearray()
    async with (
        asyncio.timeout(FETCH_SECONDS),
        httpx2.AsyncClient(trust_env=not local, follow_redirects=False) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        if response.status_code != HTTPStatus.OK:
            raise _FetchError(f"HTTP {response.status_code}")
        async for part in response.aiter_bytes():
            body += part
            if len(body) > MAX_BYTES:
                raise _FetchError(f"more than {MAX_BYTES} bytes")
    found = from_json(bytes(body), allow_inf_nan=False)
    if not isinstance(found, dict):
        raise _FetchError("not a JSON object")
    return found


ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Only asymmetric ones: with a symmetric one, the published key could sign."""
LEEWAY: Final = 30  # seconds that clocks may differ
MAX_TOKEN: Final = 16 * KIB  # characters


class RefusedTokenError(Exception):
    """A token is not accepted. The message contains no part of it."""


class JwtVerifier:
    """Verifies JWTs of one issuer for one audience. Its keys belong to one event loop."""

    def __init__(self, issuer: str, audience: str, jwks: str | None) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = KeySet(issuer, jwks)

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the claims of a token; None if it is not valid.

        Raises KeysUnavailableError if the issuer's keys are needed and not available.
        """
        try:
            return await self._verify(token)
        except RefusedTokenError as error:
            LOGGER.info("an access token was refused: %s", error)
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            LOGGER.info("an access token was refused: %s", type(error).__name__)
        return None

    async def _verify(self, token: str) -> AccessToken:
        if len(token) > MAX_TOKEN:
            raise RefusedTokenError("it is too long")
        header = jwt.get_unverified_header(token)
        algorithm, key_id = header.get("alg"), header.get("kid")
        # before any key is looked up: the token must not choose `none` or a symmetric algorithm
        if algorithm not in ALGORITHMS:
            raise RefusedTokenError("its algorithm is not accepted")
        # RFC 7515, section 4.1.11: extensions that are not understood must be refused
        if "crit" in header:
            raise RefusedTokenError("it has critical extensions")
        key = await self._keys.find(key_id, algorithm)
        if key is None:
            raise RefusedTokenError("the issuer has no such key")
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self._audience,
            issuer=self._issuer,
            leeway=LEEWAY,
            options={"require": ["exp", "iss", "aud"]},
        )
        return _access(token, claims, self._audience)


def _access(token: str, claims: dict[str, Any], audience: str) -> AccessToken:
    subject = claims.get("sub")
    # RFC 9068 has `client_id`; OpenID Connect providers write `azp`
    client = claims.get("client_id", claims.get("azp"))
    holder = subject if client is None else client
    if not isinstance(holder, str) or not isinstance(subject, str | None) or "" in (holder, subject):
        raise RefusedTokenError("it has no valid sub or client_id")
    return AccessToken(
        token=token,
        client_id=holder,
        subject=subject,
        scopes=_scopes(claims),
        expires_at=int(claims["exp"]) + LEEWAY,
        resource=audience,
        claims={"iss": claims["iss"]},
    )


def _scopes(claims: dict[str, Any]) -> list[str]:
    """Return the scopes of a token: `scope` (RFC 9068), or `scp`, as some issuers name it."""
    given = claims.get("scope", claims.get("scp", ()))
    words = given.split() if isinstance(given, str) else given
    if not isinstance(words, list | tuple) or not all(isinstance(each, str) for each in words):
        raise RefusedTokenError("its scopes are not strings")
    return list(words)
