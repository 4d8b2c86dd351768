"""The principal and the scopes of an MCP request, and the tools that the scopes allow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.settings import Settings

_LIKE_A_CLIENT: Final = re.compile("(?:sub:)*client_id:")
MAX_NAMED: Final = 10  # tools in one line for the operator


@dataclass(frozen=True, slots=True)
class Grant:
    """The principal and the scopes of a request."""

    principal: str | None = None  # None: not known
    scopes: frozenset[str] = frozenset()
    is_configured: bool = False  # the scopes are those of an access token or of the settings

    @property
    def listed(self) -> frozenset[str] | None:
        """The scopes that `tools/list` is limited to; None for the whole list."""
        return self.scopes if self.is_configured else None


NOTHING: Final = Grant()
HEADERS: Final = "toolgen.headers"
"""In the ASGI scope: the headers of the caller that tools may see."""


def headers_of(context: ServerRequestContext[Any, Any] | None) -> Mapping[str, str]:
    """Return the headers of a request that tools may see, by their names in lower case."""
    found: Mapping[str, str] = {}
    if context is not None and context.request is not None:
        found = context.request.scope.get(HEADERS, found)
    return found


def grant_of(context: ServerRequestContext[Any, Any], settings: Settings) -> Grant:
    """Return the principal and the scopes of a request.

    Over HTTP they are those of its access token; without one, there are none. Other transports serve the user
    who started the process, with `settings.scopes`.
    """
    user = None if context.request is None else context.request.scope.get("user")
    # of this request: the task of a call that was held began with another one
    access = user.access_token if isinstance(user, AuthenticatedUser) else get_access_token()
    if access is not None:
        return Grant(principal_of(access), frozenset(access.scopes), is_configured=True)
    if context.request is not None or not settings.scopes:
        return NOTHING
    return Grant(None, frozenset(settings.scopes), is_configured=True)


def principal_of(access: AccessToken) -> str:
    """Return who uses an access token: its subject or, without one, `client_id:` and the client.

    No subject is the principal of a client, whose id its owner may have chosen: one that begins with
    `client_id:` gets another prefix.
    """
    if access.subject is None:
        return f"client_id:{access.client_id}"
    return f"sub:{access.subject}" if _LIKE_A_CLIENT.match(access.subject) else access.subject


def scopes_of(definition: ToolDefinition) -> frozenset[str]:
    """Return the scopes that a caller of a tool needs."""
    return frozenset(definition.get("auth", {}).get("scopes", ()))


def refused_tools(definitions: Mapping[str, ToolDefinition], granted: frozenset[str]) -> str | None:
    """Describe the tools that need more than `granted`, and the scopes they lack; None if there are none."""
    lacking = {name: sorted(scopes_of(each) - granted) for name, each in definitions.items()}
    refused = [f"{name} ({', '.join(scopes)})" for name, scopes in lacking.items() if scopes]
    if not refused:
        return None
    more = f" and {len(refused) - MAX_NAMED} more" if len(refused) > MAX_NAMED else ""
    return ", ".join(refused[:MAX_NAMED]) + more
