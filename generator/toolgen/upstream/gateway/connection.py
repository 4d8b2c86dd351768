"""One connection to an upstream: opened when it is first used, judged by the lock, opened again when lost."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, HEADER_MISMATCH
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from toolgen.runtime.errors import OutcomeUnknownError, ToolError, UnreachableError, UpstreamChangedError
from toolgen.runtime.health import HEALTH
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import redact
from toolgen.serving.held_questions import Exchange
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.client import (
    OpenTransport,
    describe_failure,
    first_cause,
    open_transport,
    read_features,
    read_tools,
)
from toolgen.sources.mcp_client.limits import ByteBudget

from .firewall import FeatureVerdicts, Subject

if TYPE_CHECKING:
    from .upstream import Upstream

MAX_BYTES: Final = 64 * 1024 * 1024
"""That an upstream may send from one call to the next."""
MAX_VALUES: Final = 250_000
"""In one message of an upstream: while they are worked on, other clients wait, for half a second at most."""
_CLOSE_SECONDS: Final = 5.0
_LISTEN_SECONDS: Final = 1.0  # until a stream of changes that was lost is opened again
_CHANGES: Final = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
)
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)
_SESSION_LOST: Final = frozenset((CONNECTION_CLOSED,))


class LostError(OutcomeUnknownError):
    """The connection ended during a call: nobody knows whether the upstream has done it."""

    code = OutcomeUnknownError.code


class Connection:
    """A connection to an upstream. Belongs to one event loop.

    Attributes:
        users: calls that use it now.
        used: when the last of them ended, in monotonic seconds.
    """

    def __init__(self, upstream: Upstream, *, asks: bool, prefers_legacy: bool) -> None:
        """Prepare it: the first call connects. With `asks`, the client of all its calls can ask its user."""
        self.users, self.used = 0, monotonic()
        self._upstream, self._asks, self._prefers_legacy = upstream, asks, prefers_legacy
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Client]
        self._closing = asyncio.Event()
        self._opened: OpenTransport | None = None
        self._exchanges: list[Exchange] = []
        self._refused: Mapping[str, str] = {}
        self._is_stale = False  # the upstream says that its list of tools has changed
        self._features: FeatureVerdicts | None = None  # None: not judged since they have changed
        self._has_changed = False  # while they are listed
        self._judging = asyncio.Lock()

    async def call(self, params: types.CallToolRequestParams, exchange: Exchange) -> dict[str, Any]:
        """Return the result of a call, as the upstream sent it.

        Raises UpstreamChangedError if the tool is not the one in the lock, UnreachableError without a
        connection, LostError if it ended during the call, MCPError if the upstream refuses the call.
        """
        client = await self._connected()
        await self._refuse_changed(client, params.name)
        return await self._exchange(client, types.CallToolRequest(params=params), exchange)

    async def request(
        self, request: types.Request[Any, Any], exchange: Exchange, subject: Subject | None = None
    ) -> dict[str, Any]:
        """Return the result of a request about the resource or prompt `subject`, as the upstream sent it.

        Raises UpstreamChangedError if it is not the one in the lock, else as `call` does.
        """
        client = await self._connected()
        why = (await self._judged_features(client)).why_refused(subject)
        if why is not None:
            raise UpstreamChangedError(f"Not served: {why}")
        return await self._exchange(client, request, exchange)

    async def _exchange(
        self, client: Client, request: types.Request[Any, Any], exchange: Exchange
    ) -> dict[str, Any]:
        if self._opened is not None:
            self._opened.budget.renew()
        self._exchanges.append(exchange)
        try:
            return await self._send(client, request, exchange)
        except MCPError as error:
            if error.code not in _SESSION_LOST and not self._is_over():
                raise
            reason = self._reason(error)
        except (ValidationError, RuntimeError) as error:
            LOGGER.warning("an upstream breaks MCP: %s", self._reason(error))
            raise UnreachableError("The server behind it answered with something else than MCP.") from None
        except Exception as error:
            reason = self._reason(error)
        finally:
            self._exchanges.remove(exchange)
        self.end()
        LOGGER.warning("the connection to an upstream ended during a call: %s", reason)
        raise LostError("The server behind it ended during the call.")

    async def _send(
        self, client: Client, request: types.Request[Any, Any], exchange: Exchange
    ) -> dict[str, Any]:
        # the JSON itself: the SDK's types drop keys that they do not know
        send = partial(client.session.send_request, request, _ANYTHING, progress_callback=exchange.progress)
        try:
            result: dict[str, Any] = await send()
        except MCPError as error:
            # the tool's schema names headers that the SDK knows from the list: list, and send once more
            if error.code != HEADER_MISMATCH:
                raise
            await client.list_tools(cache_mode="bypass")
            result = await send()
        return result

    async def _connected(self) -> Client:
        process = None if self._opened is None else self._opened.process
        if self._task is not None and (self._task.done() or (process and process.describe_end())):
            self.end()  # it ended after the last call: no call is lost
        if self._task is None:
            self._upstream.backoff.check()
            self._ready = asyncio.get_running_loop().create_future()
            self._closing = asyncio.Event()
            # without variables of the call that happens to be the first
            self._task = asyncio.create_task(
                self._hold(self._ready, self._closing), context=contextvars.Context()
            )
        task, ready = self._task, self._ready
        if ready.done():
            return ready.result()
        waiting: set[asyncio.Future[Any]] = {task, ready}
        await asyncio.wait(waiting, timeout=limits.TIME_LIMIT, return_when=asyncio.FIRST_COMPLETED)
        if ready.done():
            return ready.result()
        raised = task.exception() if task.done() and not task.cancelled() else None
        cause = None if raised is None else first_cause(raised)
        reason = self._reason(cause) if cause else f"no answer within {limits.TIME_LIMIT:.0f} seconds"
        if self._task is task:
            self.end()
        if isinstance(cause, ToolError):
            raise cause
        LOGGER.warning("an upstream cannot be reached: %s", reason)
        raise UnreachableError("The server behind it cannot be reached.")

    async def _hold(self, ready: asyncio.Future[Client], closing: asyncio.Event) -> None:
        """Keep the connection open: the SDK's scopes must be left by the task that entered them."""
        upstream, is_connected = self._upstream, False
        for mode in ("legacy", "auto") if self._prefers_legacy and not upstream.is_modern_only else ("auto",):
            address = upstream.address()
            try:
                async with (
                    open_transport(
                        address,
                        ByteBudget(address.shown, MAX_BYTES, values=MAX_VALUES),
                        log=_log,
                        is_patient=True,
                    ) as self._opened,
                    Client(
                        self._opened.transport,
                        mode=mode,
                        elicitation_callback=self._ask if self._asks else None,
                        message_handler=self._notice,
                        cache=None,
                    ) as client,
                ):
                    is_connected = True
                    upstream.is_modern_only |= mode == "auto" and self._prefers_legacy
                    await self._judge(client)
                    upstream.backoff.succeeded()
                    HEALTH.recover(upstream.part)
                    self._features = None
                    ready.set_result(client)
                    await self._listen(client, closing)
                return
            except BaseException as error:
                # the server answers, and refuses the old handshake
                if (
                    not is_connected
                    and mode == "legacy"
                    and isinstance(first_cause(error), MCPError | RuntimeError)
                ):
                    continue
                if not ready.done():
                    upstream.backoff.failed()
                    HEALTH.degrade(upstream.part, "it cannot be reached")
                raise

    async def _listen(self, client: Client, closing: asyncio.Event) -> None:
        """Wait until the connection is closed; ask newer servers to announce what changes."""
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await closing.wait()
            return
        listening = asyncio.create_task(self._hear(client))
        try:
            await closing.wait()
        finally:
            listening.cancel()
            await asyncio.wait({listening})

    async def _hear(self, client: Client) -> None:
        lists, has_ended = self._upstream.has_features, True
        while has_ended:
            try:
                async with client.listen(
                    tools_list_changed=True, prompts_list_changed=lists, resources_list_changed=lists
                ) as events:
                    async for _ in events:  # `_notice` gets them, too
                        pass
            except SubscriptionLost:
                LOGGER.debug("an upstream has ended the stream of its changes")
            except Exception as error:
                LOGGER.debug("an upstream does not say when its list changes: %s", type(error).__name__)
                has_ended = False
            # there may have been changes that were not heard of
            self._is_stale, self._features, self._has_changed = True, None, True
            await asyncio.sleep(_LISTEN_SECONDS)

    async def _refuse_changed(self, client: Client, name: str) -> None:
        """Raise UpstreamChangedError if the tool is not as the lock has it."""
        async with self._judging:
            if self._is_stale:
                self._is_stale = False
                try:
                    await self._judge(client)
                except BaseException:
                    self._is_stale = True  # nothing is forwarded before it is judged
                    raise
        if (why := self._refused.get(name)) is not None:
            raise UpstreamChangedError(f"{name} is not called: {why}")

    async def _judge(self, client: Client) -> None:
        can = client.server_capabilities
        listed = await read_tools(client, self._upstream.address({}).shown) if can.tools else []
        self._refused = await self._upstream.firewall.judge(_name_of(client), listed)

    async def _judged_features(self, client: Client) -> FeatureVerdicts:
        """Return which resources and prompts are as the lock has them: listed when they are first needed."""
        async with self._judging:
            while (found := self._features) is None:
                self._has_changed = False
                lists = await read_features(client, self._upstream.address({}).shown)
                found = await self._upstream.firewall.judge_features(_name_of(client), lists)
                # what changed while it was listed is listed again
                self._features = None if self._has_changed else found
        return found

    async def _notice(self, message: Any) -> None:
        if isinstance(message, _CHANGES):
            self._is_stale, self._features, self._has_changed = True, None, True

    async def _ask(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Ask the user of the call that the upstream works on; all calls here are of one session."""
        if not self._exchanges:
            return types.ErrorData(code=types.INVALID_REQUEST, message="There is no call that could ask.")
        return await self._exchanges[-1].ask(params)

    def _is_over(self) -> bool:
        process = None if self._opened is None else self._opened.process
        spent = self._opened is not None and bool(self._opened.budget.excess)
        return spent or self._task is None or self._task.done() or bool(process and process.describe_end())

    def _reason(self, error: BaseException) -> str:
        """Return why the connection ended, for the log."""
        if self._opened is not None and self._opened.budget.excess:
            return self._opened.budget.excess
        process = None if self._opened is None else self._opened.process
        return (process and process.describe_end()) or redact(describe_failure(error), self._upstream.secrets)

    def end(self) -> None:
        """Begin to close the connection. The next call opens a new one."""
        if self._task is not None:
            self._closing.set()
            task, self._task, self._opened = self._task, None, None
            asyncio.get_running_loop().call_later(_CLOSE_SECONDS, task.cancel)
            _ENDING.add(task)
            task.add_done_callback(_ended)

    async def close(self) -> None:
        """Close the connection, and wait until it is."""
        task = self._task
        self.end()
        if task is not None:
            with suppress(Exception):
                await asyncio.wait({task}, timeout=_CLOSE_SECONDS)


def _name_of(client: Client) -> str:
    return "" if client.server_info is None else client.server_info.name


_ENDING: set[asyncio.Task[None]] = set()  # the event loop keeps weak references only


def _ended(task: asyncio.Task[None]) -> None:
    _ENDING.discard(task)
    if not task.cancelled():
        task.exception()


def _log(line: str) -> None:
    LOGGER.debug("an upstream wrote to stderr: %s", line)
