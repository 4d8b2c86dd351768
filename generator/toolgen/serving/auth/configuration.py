"""Configure authentication from the settings, and refuse to serve other machines without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from mcp.server.auth.provider import TokenVerifier

from toolgen.runtime.settings import SettingError, Settings

from .addresses import is_loopback, is_trusted_url
from .token_file import TokenFile

REMEDY: Final = "configure --auth-tokens or --auth-issuer, or use --insecure-no-auth"


@dataclass(frozen=True, slots=True)
class Authentication:
    """How bearer tokens are verified. Each event loop creates its own verifier."""

    make_verifier: Callable[[], TokenVerifier]
    issuer: str | None = None  # None: tokens from a file
    audience: str | None = None


def authentication_of(settings: Settings) -> Authentication | None:
    """Return how callers are authenticated; None if nothing is configured.

    Raises SettingError if settings contradict each other or a file cannot be used.
    """
    issued = {
        "--auth-issuer": settings.auth_issuer,
        "--auth-audience": settings.auth_audience,
        "--auth-jwks": settings.auth_jwks,
    }
    if settings.auth_tokens is not None:
        given = [flag for flag, value in issued.items() if value is not None]
        if given:
            raise SettingError(f"--auth-tokens and {given[0]} exclude each other: choose one")
        tokens = TokenFile.read(settings.auth_tokens)
        return Authentication(lambda: tokens)
    if all(value is None for value in issued.values()):
        return None
    return _issued(settings)


def _issued(settings: Settings) -> Authentication:
    issuer, audience, jwks = settings.auth_issuer, settings.auth_audience, settings.auth_jwks
    if issuer is None or audience is None:
        raise SettingError("JWTs need both --auth-issuer and --auth-audience")
    for flag, url in (("--auth-issuer", issuer), ("--auth-jwks", jwks)):
        if url is not None and not is_trusted_url(url):
            raise SettingError(f"{flag} must be an https URL (http is for loopback), not {url!r}")
    # now and not at the first request: a server that cannot verify tokens must not start
    if find_spec("jwt") is None or find_spec("cryptography") is None:
        raise SettingError("--auth-issuer needs PyJWT: pip install 'toolgen[auth]'")
    from .jwt_tokens import JwtVerifier  # of the extra `auth`

    return Authentication(lambda: JwtVerifier(issuer, audience, jwks), issuer, audience)


def check_exposure(host: str, settings: Settings, authentication: Authentication | None) -> None:
    """Raise SettingError if a server on `host` could be called by others without authentication."""
    if is_loopback(host) or settings.insecure_no_auth or authentication is not None:
        return
    raise SettingError(
        f"not started: {host or 'every address'} is reachable from other machines "
        f"without authentication: {REMEDY}"
    )
