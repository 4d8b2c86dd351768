"""Log the HTTP requests that are refused, limited in number."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from http import HTTPStatus
from typing import Any, Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

from toolgen.runtime.instrumentation import conventions
from toolgen.runtime.instrumentation.metrics import current_metrics
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.rate_limit import RateLimitFilter
from toolgen.runtime.text import quote
from toolgen.serving.auth.grant import principal_of
from toolgen.serving.server_state import CALLED

from .body import REASON, Message, Scope, Send

REFUSALS: Final = LOGGER.getChild("http")
REFUSALS.addFilter(RateLimitFilter("toolgen"))

_OPERATORS: Final = frozenset({403, 413, 421, 429})  # that settings of the server can change
_REASONS: Final = {
    400: "the request is not valid",
    403: "the Origin header is not allowed",
    404: "nothing is served at this path",
    405: "the method is not supported",
    406: "the client does not accept the format of the answer",
    415: "the content type is not application/json",
    421: "the Host header is not allowed",
    429: "too many requests",
    503: "there are too many sessions",
}


def recording(scope: Scope, send: Send) -> Send:
    """Return a `send` that logs the response to an HTTP request if its status is 400 or more."""

    def watch(message: Message) -> Awaitable[None]:
        # the SDK answers most refusals itself, and logs none of them with the client
        is_error = message["type"] == "http.response.start" and message["status"] >= 400
        if is_error and CALLED not in scope:  # a call has a record, if its tool is unknown, too
            _record(scope, message["status"])
        return send(message)

    return watch


def _request_of(scope: Scope) -> dict[str, Any]:
    """Return the fields of a request, never with its query or a header."""
    client: Any = scope.get("client")
    fields = {
        # any token is a method (RFC 9110, section 9.1)
        "method": scope["method"] if len(scope["method"]) <= 16 else quote(scope["method"], 16),
        "path": quote(scope["path"]),
        "client": client[0] if client else "unknown",
    }
    user = scope.get("user")
    if isinstance(user, AuthenticatedUser):
        fields["principal"] = principal_of(user.access_token)
    return fields


def _record(scope: Scope, status: int) -> None:
    reason: str = scope.get(REASON) or _reason(scope, status)
    fields = {"event": "refused", "status": status, "reason": reason, **_request_of(scope)}
    message = "{method} {path} refused with {status}: {reason} (client {client}".format(**fields)
    if (metrics := current_metrics()) is not None:
        metrics.record(conventions.REFUSALS, 1, {"http.response.status_code": status})
    if "principal" in fields:
        message += f", principal {quote(fields['principal'])}"
    REFUSALS.log(_level(scope, status), "%s)", message, extra=fields)


def _level(scope: Scope, status: int) -> int:
    if status == 401:
        return logging.WARNING if _has(scope, b"authorization") else logging.INFO  # clients begin without
    return logging.WARNING if status in _OPERATORS or status >= 500 else logging.INFO


def _reason(scope: Scope, status: int) -> str:
    """Return the reason of a refusal by the SDK, whose own texts may contain values of the request."""
    if status == 401:
        return "the token is not valid" if _has(scope, b"authorization") else "there is no token"
    if status == 404 and _has(scope, b"mcp-session-id"):
        return "this session does not exist, or has ended"
    if status == 404 and _has(scope, b"mcp-method"):
        return "this JSON-RPC method does not exist"
    return _REASONS.get(status) or HTTPStatus(status).phrase


def _has(scope: Scope, header: bytes) -> bool:
    return any(name == header for name, _ in scope["headers"])
