"""Log the HTTP requests that are refused, limited in number."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from typing import Any, Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.datastructures import Headers
from starlette.types import Message, Scope, Send

from toolgen.runtime.instrumentation import telemetry
from toolgen.runtime.logs.configure import RateLimitFilter
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.text import quote
from toolgen.serving.auth.grant import principal_of
from toolgen.serving.server_state import CALLED

from .body import REASON

REFUSALS: Final = LOGGER.getChild("http")
REFUSALS.addFilter(RateLimitFilter("toolgen"))

_OPERATORS: Final = frozenset({403, 413, 421, 429})  # that settings of the server can change
_REASONS: Final[Mapping[int, str]] = {
    HTTPStatus.BAD_REQUEST: "the request is not valid",
    HTTPStatus.NOT_FOUND: "this path, session or method does not exist",
    HTTPStatus.METHOD_NOT_ALLOWED: "the method is not supported",
    HTTPStatus.NOT_ACCEPTABLE: "the client does not accept the format of the answer",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the body is larger than --max-request-bytes",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "the content type is not application/json",
    HTTPStatus.TOO_MANY_REQUESTS: "too many requests",
    HTTPStatus.SERVICE_UNAVAILABLE: "there are too many sessions",
}


def recording(scope: Scope, send: Send) -> Send:
    """Return a `send` that logs the response to an HTTP request if its status is 400 or more."""

    def watch(message: Message) -> Awaitable[None]:
        # the SDK answers most refusals itself, and logs none of them with the client
        is_error = message["type"] == "http.response.start" and message["status"] >= HTTPStatus.BAD_REQUEST
        if is_error and CALLED not in scope:  # a call has a record, if its tool is unknown, too
            _record(scope, message["status"])
        return send(message)

    return watch


def _record(scope: Scope, status: int) -> None:
    """Write the record of a refusal, never with the query, or a header other than Host and Origin."""
    client: Any = scope.get("client")
    has_token = any(name == b"authorization" for name, _ in scope["headers"])
    # the SDK's own texts may contain values of the request
    reason: str = scope.get(REASON) or _REASONS.get(status) or HTTPStatus(status).phrase
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    # a browser asks with OPTIONS, without a token, whether a page may call
    is_page = origin and REASON not in scope and (status == 403 or scope["method"] == "OPTIONS")
    if status == HTTPStatus.MISDIRECTED_REQUEST:
        reason = f"the Host header {quote(headers.get('host', ''))} is not allowed: see --allowed-host"
    elif origin and is_page:
        reason = f"pages of {quote(origin)} are not allowed: see --allowed-origin"
    elif status == HTTPStatus.UNAUTHORIZED:
        reason = "the token is not valid" if has_token else "there is no token"
    fields = {
        "event": "refused",
        "status": status,
        "reason": reason,
        "method": scope["method"][:16],  # any token is a method (RFC 9110, section 9.1)
        "path": quote(scope["path"]),
        "client": client[0] if client else "unknown",
    }
    message = "{method} {path} refused with {status}: {reason} (client {client}".format(**fields)
    if (metrics := telemetry.current_metrics()) is not None:
        metrics.record(telemetry.REFUSALS, 1, {"http.response.status_code": status})
    user = scope.get("user")
    if isinstance(user, AuthenticatedUser):
        fields["principal"] = principal = principal_of(user.access_token)
        message += f", principal {quote(principal)}"
    # clients begin without a token
    is_warning = is_page or status in _OPERATORS or status >= 500 or (status == 401 and has_token)
    REFUSALS.log(logging.WARNING if is_warning else logging.INFO, "%s)", message, extra=fields)
