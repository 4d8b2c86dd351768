"""An MCP server that tools are forwarded to: where it is, its credentials, and the connections to it."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal

from mcp.server.auth.middleware.auth_context import get_access_token

from toolgen.runtime.errors import (
    InsufficientScopeError,
    MissingDependencyError,
    OverloadedError,
    UnreachableError,
)
from toolgen.runtime.health import HEALTH
from toolgen.runtime.logs.logger import LOGGER
from toolgen.serving.held_questions import HeldCalls, Requester
from toolgen.serving.server_state import session_id_of, when_session_ends
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.outcomes import Failure, RequestFailedError

from .firewall import Firewall
from .upstream_connection import Connection

MAX_CONNECTIONS: Final = 1_000
"""To one upstream; more calls at once get `overloaded`."""
IDLE_SECONDS: Final = 1_800.0
"""After which a connection without a call is closed."""
_FIRST_DELAY, _LAST_DELAY = 0.5, 30.0  # seconds between attempts to connect
_AUTHORIZATION: Final = "authorization"
_OF_ALL: Final = (InsufficientScopeError, OverloadedError, UnreachableError)
"""Outcomes that the other tools of an upstream have, too."""
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")


class Upstream:
    """An MCP server that tools are forwarded to. Nothing is connected before the first call.

    Every session of a client, and every principal, has a connection of its own. Clients without a session
    (protocol 2026-07-28 over HTTP) borrow one of their principal's for each call.

    Args:
        source: a URL, in which `${NAME}` is the value of an environment variable, or a command line that
            starts a server over stdio.
        lock: the file that pins what the server listed; `toolgen import mcp --implement` wrote it.
        headers: of every HTTP request. `${NAME}` is the value of an environment variable. Empty by default.
        env: environment variables of a command, beside PATH, HOME and the like. `${NAME}` as in `headers`.
        shared: one connection for all callers, for servers that keep no state and never ask the user. False
            by default.
        caller_headers: headers that are sent with the value of each caller, for which the server needs
            `--caller-header`. A call without one of them fails. Empty by default.
        caller_meta: keys of a caller's `_meta` that are sent, beside those of MCP. Empty by default.
        audience: for which the tokens of callers were issued, here and at the upstream: the server's
            `--auth-audience`. `Authorization` in `caller_headers` needs it. The default is None.
        drift_description: what to do with a tool whose texts for models differ from the lock: "refuse" its
            calls, which is the default, or "log" it and forward them.

    Example:
        GITHUB = Upstream(
            "https://api.githubcopilot.com/mcp/",
            lock=Path(__file__).with_suffix(".lock"),
            headers={"Authorization": "Bearer ${GITHUB_TOKEN}"},
        )
    """

    def __init__(
        self,
        source: str,
        *,
        lock: str | os.PathLike[str],
        headers: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        shared: bool = False,
        caller_headers: Collection[str] = (),
        caller_meta: Collection[str] = (),
        audience: str | None = None,
        drift_description: Literal["refuse", "log"] = "refuse",
    ) -> None:
        """Prepare it. Raises ValueError for options that contradict each other."""
        if drift_description not in ("refuse", "log"):
            raise ValueError(f"drift_description is 'refuse' or 'log', not {drift_description!r}")
        self.source, self.lock, self.shared = source, Path(lock), shared
        self.is_command = not source.startswith(("http://", "https://"))
        self.headers, self.env = dict(headers or {}), dict(env or {})
        if self.is_command and self.headers:
            raise ValueError("headers are for an upstream at a URL; a command has env")
        if self.env and not self.is_command:
            raise ValueError("env is for an upstream that a command starts; a URL has headers")
        self.caller_headers, self.audience = [name.lower() for name in caller_headers], audience
        self.caller_meta = tuple(caller_meta)
        own = {name.lower() for name in self.headers}
        if caller_headers and (self.is_command or shared or own.intersection(self.caller_headers)):
            raise ValueError("caller_headers need a URL that is not shared, and differ from headers")
        if _AUTHORIZATION in self.caller_headers and audience is None:
            raise ValueError("Authorization in caller_headers needs the audience of the tokens")
        self.drift_description = drift_description
        self.firewall = Firewall(self.lock, drift_description)
        self.held: HeldCalls[dict[str, Any]] = HeldCalls(key="toolgen/forwarded")
        self.has_features = False  # resources or prompts are served, too: see `ForwardedFeatures`
        self.is_modern_only = False  # it has refused the handshake of protocols up to 2025-11-25
        self.backoff = Backoff()
        self._lent: dict[_Key, Connection] = {}  # of sessions
        self._idle: dict[_Key, list[Connection]] = {}  # of callers without a session
        self._users: dict[int, int] = {}  # tools by event loop
        self._number = 0  # of connections
        self._failing: set[tuple[str, Failure]] = set()  # tools, how they fail: has been logged

    def __repr__(self) -> str:
        return f"Upstream({self.address({}).shown!r})"

    @property
    def part(self) -> str:
        """Its name in `HEALTH`, which shows neither its address nor its command line."""
        return f"upstream {self.lock.stem}"

    def note_failure(self, name: str, failure: Failure, reason: str) -> None:
        """Log that a request about the tool `name` has no result: once, until it has one again."""
        if failure.outcome in _OF_ALL:
            HEALTH.degrade(self.part, f"it {failure.text} ({name}): {reason}")
        elif (name, failure) not in self._failing:
            self._failing.add((name, failure))
            LOGGER.warning("%s %s (%s): %s", self.part, failure.text, name, reason)

    def note_success(self, name: str) -> None:
        """Note that a request about the tool `name` has a result."""
        HEALTH.recover(self.part)
        if self._failing:
            self._failing = {each for each in self._failing if each[0] != name}

    @property
    def secrets(self) -> list[str]:
        """Return the values of environment variables that are sent to the server."""
        names = {
            name
            for value in (self.source, *self.headers.values(), *self.env.values())
            for name in _VARIABLE.findall(value)
        }
        return [value for name in names if (value := os.environ.get(name))]

    def address(
        self, environment: Mapping[str, str] | None = None, caller: Mapping[str, str] | None = None
    ) -> ServerAddress:
        """Return where the server is, with credentials of the environment; without any for an empty one.

        `caller` has the headers of the caller.

        Raises MissingDependencyError for a variable that is not set, or that a header cannot have.
        """
        if environment is not None and not environment:
            return ServerAddress(self.source, self.is_command, inherits=False)
        variables = os.environ if environment is None else environment
        headers = {name: _filled(value, variables) for name, value in self.headers.items()} | dict(
            caller or {}
        )
        for name, value in headers.items():
            # a line end would begin another header; see RFC 9110, section 5.5
            if not value.isprintable() or not value.isascii():
                raise MissingDependencyError(
                    f"The header {name} would contain characters that it cannot have."
                )
        own = {name: _filled(value, variables) for name, value in self.env.items()}
        source = self.source if self.is_command else _filled(self.source, variables)
        return ServerAddress(source, self.is_command, headers, own, inherits=False)

    @asynccontextmanager
    async def connection(self, requester: Requester) -> AsyncIterator[Connection]:
        """Lend the connection of a caller. Raises OverloadedError if there are too many."""
        key = self._key(requester)
        if key.session is not None:
            connection = self._lent.get(key)
            if connection is None:
                connection = self._lent[key] = self._new(key)
                if requester.request is not None and (session := session_id_of(requester.request)):
                    self._close_with(session, key)
        else:  # nobody else uses it during the call: a question is the caller's
            idle = self._idle.get(key)
            connection = idle.pop() if idle else self._new(key)
        connection.users += 1
        is_reusable = True
        try:
            yield connection
        except (asyncio.CancelledError, RequestFailedError) as error:
            # a late question of this call must not reach the next caller
            is_over = isinstance(error, RequestFailedError) and not error.failure.may_be_done
            is_reusable = key.session is not None or is_over
            raise
        finally:
            if is_reusable:
                self._give_back(key, connection)
            else:
                self._number -= 1
                connection.end()

    def _give_back(self, key: _Key, connection: Connection) -> None:
        connection.users -= 1
        if connection.users == 0:
            connection.used = monotonic()
            if key.session is None:
                self._idle.setdefault(key, []).append(connection)
            asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_idle, key, connection)

    def enter(self) -> None:
        """Note a tool or a feature source that uses this upstream in the running event loop."""
        loop = id(asyncio.get_running_loop())
        self._users[loop] = self._users.get(loop, 0) + 1

    async def leave(self) -> None:
        """Close the connections of the running event loop after the last of its tools."""
        loop = id(asyncio.get_running_loop())
        self._users[loop] = self._users.get(loop, 1) - 1
        if self._users[loop] > 0:
            return
        del self._users[loop]
        self.held.end_all(loop)
        mine = [self._lent.pop(key) for key in [*self._lent] if key.loop == loop]
        for key in [key for key in self._idle if key.loop == loop]:
            mine += self._idle.pop(key)
        self._number -= len(mine)
        await asyncio.gather(*(each.close() for each in mine))

    def _key(self, requester: Requester) -> _Key:
        loop = id(asyncio.get_running_loop())
        if self.shared:
            return _Key(loop, "shared")
        principal, request = requester.principal, requester.request
        headers = self._headers_of(requester)
        if request is None:
            return _Key(loop, f"session {requester.session_id}", principal, headers)
        asks = requester.can_ask
        # stdio has one client; over HTTP, sessions say which requests are of one conversation
        session = "stdio" if request.request is None else session_id_of(request)
        # a tool that asks during the call can only do so in the client's own era
        return _Key(loop, session, principal, headers, asks=asks, is_legacy=not requester.is_modern)

    def _headers_of(self, requester: Requester) -> tuple[tuple[str, str], ...]:
        """Return the headers of a caller that the upstream gets. Raises MissingDependencyError."""
        for name in self.caller_headers:
            if name not in requester.headers:
                raise MissingDependencyError(
                    f"The call has no header {name}, or --caller-header does not name it."
                )
        access = get_access_token() if _AUTHORIZATION in self.caller_headers else None
        if _AUTHORIZATION in self.caller_headers and (access is None or access.resource != self.audience):
            raise MissingDependencyError("The caller has no token for the server behind this tool.")
        return tuple((name, requester.headers[name]) for name in self.caller_headers)

    def _new(self, key: _Key) -> Connection:
        if self._number >= MAX_CONNECTIONS:
            raise OverloadedError("Too many clients use the server behind this tool.")
        self._number += 1
        return Connection(self, asks=key.asks, prefers_legacy=key.is_legacy, caller=dict(key.headers))

    def _end_idle(self, key: _Key, connection: Connection) -> None:
        if not connection.users and monotonic() - connection.used >= IDLE_SECONDS - 1:
            self._forget(key, connection)

    def _forget(self, key: _Key, connection: Connection) -> None:
        """Close a connection that nobody uses."""
        if self._lent.get(key) is connection:
            del self._lent[key]
        elif connection in self._idle.get(key, ()):
            self._idle[key].remove(connection)
            if not self._idle[key]:
                del self._idle[key]
        else:
            return
        self._number -= 1
        connection.end()

    def _close_with(self, session: str, key: _Key) -> None:
        """Close the connection of a session when the session has ended."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            connection = self._lent.get(key)
            if connection is not None:
                self._forget(key, connection)

        def ended() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(end)

        when_session_ends(session, ended)


@dataclass(frozen=True, slots=True)
class _Key:
    """Whose connection it is."""

    loop: int
    session: str | None  # None: nothing says which calls belong together
    principal: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # that the upstream gets
    asks: bool = False  # the client can ask its user
    is_legacy: bool = False  # the client uses a protocol up to 2025-11-25


class Backoff:
    """Attempts to connect are made at growing intervals. Calls in between fail at once."""

    def __init__(self) -> None:
        self._delay, self._next = 0.0, 0.0
        self._last = RequestFailedError(Failure.UNREACHABLE, "")

    def check(self) -> None:
        """Raise the RequestFailedError of the last attempt if it is too early for another."""
        rest = self._next - monotonic()
        if rest > 0:
            last = self._last
            raise RequestFailedError(last.failure, str(last), retry_after=round(rest, 1), status=last.status)

    def failed(self, failed: RequestFailedError) -> None:
        """Note a failed attempt."""
        self._last = failed
        self._delay = min(max(self._delay * 2, _FIRST_DELAY), _LAST_DELAY)
        self._next = monotonic() + min(max(self._delay, failed.retry_after or 0), _LAST_DELAY)

    def succeeded(self) -> None:
        """Note a connection."""
        self._delay = self._next = 0.0


def _filled(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with the values of the variables that it names."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in variables:
            raise MissingDependencyError(
                f"The environment variable {name} is not set.", details={"name": name}
            )
        return variables[name]

    return _VARIABLE.sub(value, text)
