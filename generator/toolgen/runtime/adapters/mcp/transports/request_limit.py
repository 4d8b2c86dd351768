"""The server's own limit of requests: those over it are refused before their bodies are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, Self

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

from toolgen.runtime.adapters.mcp.auth.grant import principal_of
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.rate_limits import RateLimits
from toolgen.runtime.stores.opening import StoreError
from toolgen.runtime.toolkit import Toolkit

from .body import RefusedError, Scope

LIMITED_CODE: Final = -32029  # JSON-RPC leaves -32000 to -32099 to servers


class RequestLimit:
    """Counts requests by principal, or by address if nobody is authenticated."""

    def __init__(self, limits: RateLimits, limit: Mapping[str, int]) -> None:
        self._limits, self._limit = limits, limit

    @classmethod
    def of(cls, toolkit: Toolkit) -> Self | None:
        """Return the limit that the settings of a toolkit have, or None.

        Raises SettingError if the store cannot be used.
        """
        limit = toolkit.settings.rate_limit
        return None if limit is None else cls(toolkit.rate_limits, limit)

    async def count(self, scope: Scope) -> None:
        """Count a request. Raises RefusedError if there are too many, or they cannot be counted."""
        try:
            seconds = await self._limits.take(self._limit, "server", *_names(scope))
        except StoreError as error:
            LOGGER.error("requests cannot be counted: %s", error)
            message = "The limit of requests cannot be checked now."
            raise RefusedError(503, LIMITED_CODE, message, retry_after="1") from None
        if seconds is not None:
            retry_after = str(math.ceil(seconds))
            raise RefusedError(429, LIMITED_CODE, "There were too many requests.", retry_after=retry_after)


def _names(scope: Scope) -> tuple[str, str]:
    user = scope.get("user")
    if isinstance(user, AuthenticatedUser):
        return "principal", principal_of(user.access_token)
    client: Any = scope.get("client")
    return "address", str(client[0]) if client else ""
