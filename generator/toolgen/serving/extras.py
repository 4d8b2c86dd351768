"""Extras of clients without a session: sealed state that travels in `_meta`.

Since 2026-07-28 the protocol has no sessions, and a server with `--stateless` keeps none. A result then has
the `context.extras` of its call in `_meta["toolgen/extras"]` as a sealed token; the next call sees them if
the client returns the token in the same key of its request's `_meta`. A server over stdio has one client,
whose calls share their extras without a token, too (`ServerState.serve_only_client`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.request_state import AESGCMRequestStateCodec, InvalidRequestState, authenticated_principal
from mcp.shared.exceptions import MCPError

from toolgen.runtime.confirmation.sealing import KEY_BYTES, parse_keys
from toolgen.runtime.logs.logger import LOGGER

EXTRAS_KEY: Final = "toolgen/extras"  # in `_meta`, of results and of requests
NOT_CARRIED_KEY: Final = "toolgen/extras_not_carried"  # in a result's `_meta`: why there is no token
MAX_BYTES: Final = 16 * 1024  # of the extras as JSON
MAX_TOKEN: Final = 32 * 1024  # characters, of a request
VALID_SECONDS: Final = 86_400
_PURPOSE: Final = "toolgen/extras/1"


class SealedExtras:
    """Seals extras into tokens and opens them again.

    A token is bound to the server's name and to the authenticated principal, and is valid for a day. The keys
    are those of confirmations (`TOOLGEN_CONFIRMATION_KEY`), so that replicas can open each other's tokens;
    the default is a random key of this process.
    """

    def __init__(self, audience: str, keys: str | None = None) -> None:
        self._audience = audience
        self.use_keys(keys)

    def use_keys(self, keys: str | None) -> None:
        """Seal and open tokens with other keys."""
        self._codec = AESGCMRequestStateCodec(list(parse_keys(keys)) if keys else [os.urandom(KEY_BYTES)])

    def opened(
        self, context: ServerRequestContext[Any, Any], meta: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Return the extras in a request; None if it has none.

        Raises MCPError for a token that is not valid: extras are never dropped silently.
        """
        token = meta.get(EXTRAS_KEY)
        if token is None:
            return None
        claims = self._claims(token)
        now = time.time()
        if (
            claims is None
            or claims.get("for") != [_PURPOSE, self._audience, authenticated_principal(context)]
            # clocks of replicas may differ by a minute
            or not now - VALID_SECONDS < claims["at"] < now + 60
        ):
            LOGGER.warning("the extras that a client sent are not valid or have expired")
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"Invalid or expired {EXTRAS_KEY}; leave it out to start again",
            )
        extras: dict[str, Any] = claims["extras"]
        return extras

    def meta_of(
        self, context: ServerRequestContext[Any, Any], tool_name: str, extras: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the entries of a result's `_meta` for the extras of a call."""
        try:
            text = json.dumps(dict(extras), separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return _not_carried(tool_name, "they are not JSON")
        # a client returns the token with each call, and some proxies limit a request
        if len(text) > MAX_BYTES:
            return _not_carried(tool_name, f"they are larger than {MAX_BYTES} bytes")
        bound = json.dumps([_PURPOSE, self._audience, authenticated_principal(context)])
        payload = f'{{"for":{bound},"at":{time.time()!r},"extras":{text}}}'
        return {EXTRAS_KEY: self._codec.seal(payload.encode())}

    def _claims(self, token: object) -> dict[str, Any] | None:
        if not isinstance(token, str) or len(token) > MAX_TOKEN:
            return None
        try:
            claims: dict[str, Any] = json.loads(self._codec.unseal(token))
        except (InvalidRequestState, ValueError):
            return None
        return claims


def _not_carried(tool_name: str, reason: str) -> dict[str, Any]:
    LOGGER.warning("the extras of tool %s were not carried to the client's next call: %s", tool_name, reason)
    return {NOT_CARRIED_KEY: f"The extras of this call are not available to the next one: {reason}."}
