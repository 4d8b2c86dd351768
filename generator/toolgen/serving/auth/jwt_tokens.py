"""Access tokens of an issuer: JWTs that are verified with its published keys (RFC 7519, RFC 9068)."""

from __future__ import annotations

from typing import Any, Final

import jwt
from mcp.server.auth.provider import AccessToken

from toolgen.runtime.logs.logger import LOGGER

from .key_set import KeySet

ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Only asymmetric ones: with a symmetric one, the published key could sign."""
LEEWAY: Final = 30  # seconds that clocks may differ
MAX_TOKEN: Final = 16 * 1024  # characters


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
