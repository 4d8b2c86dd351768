"""Protect the HTTP endpoint from callers without a token, foreign Host and Origin headers, and floods."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from mcp.server.auth.handlers.metadata import ProtectedResourceMetadataHandler
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.routes import build_resource_metadata_url, cors_middleware
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.auth import ProtectedResourceMetadata
from pydantic import AnyHttpUrl
from starlette.authentication import AuthenticationError
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.stores.store import StoreError
from toolgen.serving.auth.addresses import is_loopback
from toolgen.serving.auth.configuration import REMEDY, Authentication
from toolgen.serving.auth.grant import principal_of
from toolgen.serving.server_state import SESSION_HEADER, ServerState

from .body import REASON, RefusedError, path_of, send_refusal

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
ENDPOINT: Final = "/mcp"
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
EXPOSED: Final = (SESSION_HEADER, "mcp-protocol-version", "www-authenticate", "retry-after")
LIMITED_CODE: Final = -32029  # JSON-RPC leaves -32000 to -32099 to servers
RETRY_SECONDS: Final = 10  # PAUSE_SECONDS of `auth/jwt_tokens.py`
_HOST: Final = re.compile(rb"[A-Za-z0-9._-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")


class BearerGuard:
    """Forwards requests with a valid bearer token, using the SDK's middleware.

    Others are answered with 401, for any path and method, or 503 if the issuer's keys are not available. With
    an issuer, the metadata of the protected resource (RFC 9728) is public.
    """

    def __init__(self, app: ASGIApp, authentication: Authentication, scopes: Callable[[], list[str]]) -> None:
        self._app = app
        self._authentication = authentication
        self._scopes = scopes
        self._authenticated = AuthenticationMiddleware(
            AuthContextMiddleware(self._require),
            BearerAuthBackend(authentication.make_verifier()),
            on_error=_unavailable,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if self._authentication.issuer is not None and _is_metadata(scope):
            await self._metadata(scope)(scope, receive, send)
        else:
            await self._authenticated(scope, receive, send)

    async def _require(self, scope: Scope, receive: Receive, send: Send) -> None:
        if isinstance(scope["user"], AuthenticatedUser):
            await self._app(scope, receive, send)
        else:
            await RequireAuthMiddleware(self._app, [], self._metadata_url(scope))(scope, receive, send)

    def _metadata(self, scope: Scope) -> ASGIApp:
        """Return an application that answers with the metadata of the resource."""
        issuer, resource = self._authentication.issuer, self._resource(scope)
        assert issuer is not None
        if resource is None:
            return Response("Invalid Host header", HTTPStatus.BAD_REQUEST)
        metadata = ProtectedResourceMetadata.model_validate(  # strings, because AnyHttpUrl adds a slash
            {
                "resource": resource,
                "authorization_servers": [issuer],
                "scopes_supported": self._scopes(),
            }
        )
        handler = ProtectedResourceMetadataHandler(metadata)
        return cors_middleware(handler.handle, ["GET", "OPTIONS"])

    def _resource(self, scope: Scope) -> str | None:
        """Return the URL of this server: the audience if it is a URL, else the URL that the client used."""
        audience = self._authentication.audience
        if audience is not None and urlsplit(audience).scheme in ("https", "http"):
            return audience
        host = next((value for name, value in scope["headers"] if name == b"host"), b"")
        if not _HOST.fullmatch(host):
            return None
        return f"{scope.get('scheme', 'http')}://{host.decode()}{scope.get('root_path', '')}{ENDPOINT}"

    def _metadata_url(self, scope: Scope) -> AnyHttpUrl | None:
        """Return the URL of the metadata; below `root_path` if the application is mounted in another."""
        resource = None if self._authentication.issuer is None else self._resource(scope)
        if resource is None:
            return None
        root: str = scope.get("root_path", "")
        if not root:
            return build_resource_metadata_url(AnyHttpUrl(resource))
        parts = urlsplit(resource)
        return AnyHttpUrl(f"{parts.scheme}://{parts.netloc}{root}{WELL_KNOWN}{ENDPOINT}")


class LoopbackGuard:
    """Forwards requests over a loopback address or a local socket, and those of authenticated callers.

    For an ASGI application without authentication, which does not know its address.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if _is_local(scope.get("server")) or isinstance(scope.get("user"), AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        message = (
            f"This address is reachable from other machines without authentication: {REMEDY} "
            "(TOOLGEN_AUTH_TOKENS, TOOLGEN_AUTH_ISSUER, TOOLGEN_INSECURE_NO_AUTH)."
        )
        refused = RefusedError(HTTPStatus.FORBIDDEN, message)
        await send_refusal(refused, None, scope=scope, receive=receive, send=send)


def allow_pages(app: ASGIApp, origins: tuple[str, ...]) -> CORSMiddleware:
    """Let pages of `origins` call `app` and read its answers, refusals too (CORS)."""
    patterns = [re.escape(each.lower()).replace(r":\*", "(:[0-9]+)?") for each in origins]
    return CORSMiddleware(
        app,
        allow_origin_regex="|".join(patterns),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],  # the names of `Mcp-Param-…` depend on the tools
        expose_headers=EXPOSED,
    )


def lower_names(scope: Scope) -> Scope:
    """Return `scope` with Host and Origin in lower case: names have no case, and the SDK compares with it."""
    headers = [
        (name, value.lower() if name in (b"host", b"origin") else value) for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


def _is_metadata(scope: Scope) -> bool:
    is_read = scope["method"] in ("GET", "HEAD", "OPTIONS")
    return is_read and f"{path_of(scope)}/".startswith(f"{WELL_KNOWN}/")


def _is_local(server: Any) -> bool:
    """True if the server's address in an ASGI scope is only reachable from this machine."""
    if not server:
        return False
    host, port = server
    return port is None or is_loopback(host)  # without a port, it is the path of a local socket


def _unavailable(connection: HTTPConnection, error: AuthenticationError) -> Response:
    connection.scope[REASON] = "the token cannot be verified now"
    body = {"error": "temporarily_unavailable", "error_description": "The token cannot be verified now."}
    return JSONResponse(body, HTTPStatus.SERVICE_UNAVAILABLE, {"retry-after": str(RETRY_SECONDS)})


async def count_request(state: ServerState, scope: Scope) -> None:
    """Count a request by its principal, or its address if nobody is authenticated, if there is a limit.

    Raises RefusedError if there are too many, or they cannot be counted.
    """
    limit = state.settings.rate_limit
    if limit is None:
        return
    assert state.rate_limits is not None
    try:
        seconds = await state.rate_limits.take(limit, "server", *owner_of(scope))
    except StoreError as error:
        LOGGER.error("requests cannot be counted: %s", error)
        message = "The limit of requests cannot be checked now."
        raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, message, LIMITED_CODE, retry_after="1") from None
    if seconds is not None:
        retry_after = str(math.ceil(seconds))
        message = "There were too many requests."
        raise RefusedError(HTTPStatus.TOO_MANY_REQUESTS, message, LIMITED_CODE, retry_after=retry_after)


def owner_of(scope: Scope) -> tuple[str, str]:
    """Return who sends a request: a principal, or an address if nobody is authenticated."""
    user = scope.get("user")
    if isinstance(user, AuthenticatedUser):
        return "principal", principal_of(user.access_token)
    client: Any = scope.get("client")
    return "address", str(client[0]) if client else ""


def transport_security(
    host: str | None, hosts: tuple[str, ...], origins: tuple[str, ...]
) -> TransportSecuritySettings:
    """Accept Host and Origin headers for loopback, for the address that is served, and as configured."""
    hosts, origins = (tuple(each.lower() for each in names) for names in (hosts, origins))
    names = [*LOOPBACK, *(each.removesuffix(":*") for each in hosts)]
    if host is not None and host not in ("0.0.0.0", "::", ""):  # noqa: S104  compared, not bound
        names.append((f"[{host}]" if ":" in host else host).lower())
    allowed_hosts, allowed_origins = [], [*origins, *(each.removesuffix(":*") for each in origins)]
    for name in dict.fromkeys(names):
        patterns = [name] if _has_port(name) else [name, f"{name}:*"]
        allowed_hosts += patterns
        allowed_origins += [f"{scheme}://{pattern}" for scheme in ("http", "https") for pattern in patterns]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=allowed_hosts, allowed_origins=allowed_origins
    )


def accepts_scrape(security: TransportSecuritySettings, host: str) -> bool:
    """True if the Host header of a scrape is accepted, or is an address: no page has one as its name."""
    name = host.lower()
    hosts = security.allowed_hosts
    if name in hosts or f"{name.rpartition(':')[0]}:*" in hosts:
        return True
    try:
        return ip_address(urlsplit(f"//{name}").hostname or "") is not None
    except ValueError:
        return False


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and not name.endswith("]")
