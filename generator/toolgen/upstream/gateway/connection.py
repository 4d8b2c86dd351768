"""One connection to an upstream: opened when it is first used, judged by the lock, opened again when lost."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.server.subscriptions import PromptsListChanged, ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, HEADER_MISMATCH
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from toolgen.runtime.errors import OutcomeUnknownError, ToolError, UnreachableError, UpstreamChangedError
from toolgen.runtime.health import HEALTH
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import redact
from toolgen.serving.features import Publish
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
from .listening import ChangeStream, event_of

if TYPE_CHECKING:
    from .upstream import Upstream

MAX_BYTES: Final = 64 * 1024 * 1024
"""That an upstream may send from one call to the next."""
MAX_VALUES: Final = 250_000
"""In one message of an upstream: while they are worked on, other clients wait, for half a second at most."""
_CLOSE_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 1.0  # between two checks that a connection with listeners is still open
_RENEW_SECONDS: Final = 60.0  # between two budgets of bytes for notifications
MAX_SUBSCRIPTIONS: Final = 1_000
"""Resources that the clients of one connection may subscribe to."""
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
        listeners: what hears of changes of resources and prompts, by the client that it serves.
    """

    def __init__(self, upstream: Upstream, *, asks: bool, prefers_legacy: bool) -> None:
        """Prepare it: the first call connects. With `asks`, the client of all its calls can ask its user."""
        self.users, self.used = 0, monotonic()
        self.listeners: dict[object, Publish] = {}
        self._upstream, self._asks, self._prefers_legacy = upstream, asks, prefers_legacy
        self._task: asyncio.Task[None] | None = None
        self._keeping: asyncio.Task[None] | None = None  # while there are listeners
        self._ready: asyncio.Future[Client]
        self._closing = asyncio.Event()
        self._opened: OpenTransport | None = None
        self._exchanges: list[Exchange] = []
        self._refused: Mapping[str, str] = {}
        self._is_stale = False  # the upstream says that its list of tools has changed
        self._features: FeatureVerdicts | None = None  # None: not judged since they have changed
        self._has_changed = False  # while they are listed
        self._judging = asyncio.Lock()
        self._subscriptions: dict[str, int] = {}  # URI → how often
        self._stream: ChangeStream | None = None
        self._was_connected = False
        self._renewed = monotonic()  # when the upstream's budget of bytes was

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
        self._renewed = monotonic()
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
        self._lose()
        LOGGER.warning("the connection to an upstream ended during a call: %s", reason)
        raise LostError("The server behind it ended during the call.")

    async def _send(
        self, client: Client, request: types.Request[Any, Any], exchange: Exchange
    ) -> dict[str, Any]:
        try:
            return await self._send_once(client, request, exchange)
        except MCPError as error:
            # the tool's schema names headers that the SDK knows from the list: list, and send once more
            if error.code != HEADER_MISMATCH:
                raise
            await client.list_tools(cache_mode="bypass")
            return await self._send_once(client, request, exchange)

    async def _send_once(
        self, client: Client, request: types.Request[Any, Any], exchange: Exchange
    ) -> dict[str, Any]:
        # the JSON itself: the SDK's types drop keys that they do not know
        result: dict[str, Any] = await client.session.send_request(
            request, _ANYTHING, progress_callback=exchange.progress
        )
        return result

    async def _connected(self) -> Client:
        process = None if self._opened is None else self._opened.process
        if self._task is not None and (self._task.done() or (process and process.describe_end())):
            self._lose()  # it ended after the last call: no call is lost
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
            self._lose()
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
                    if self._was_connected and self.listeners:
                        await self._renew(client)
                    self._was_connected = True
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
        """Wait until the connection is closed; hear of changes of lists, for which some must be asked."""
        self._stream = None
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await closing.wait()
            return
        self._stream = ChangeStream(
            client, self._subscriptions, lists=self._upstream.has_features, lost=self._forget_verdicts
        )
        await self._stream.run(closing)

    def _forget_verdicts(self) -> None:
        self._is_stale, self._features, self._has_changed = True, None, True

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
        if isinstance(message, types.ToolListChangedNotification):
            self._is_stale = True
            return
        event = event_of(message)
        if event is None:
            return
        # a connection that only listens makes no calls, which would renew it
        if self._opened is not None and monotonic() - self._renewed > _RENEW_SECONDS:
            self._opened.budget.renew()
            self._renewed = monotonic()
        if not isinstance(event, ResourceUpdated):
            self._features, self._has_changed = None, True
        self._publish(event)

    async def open(self) -> None:
        """Connect, so that changes are heard of. Raises as `call` does."""
        await self._connected()

    def add_listener(self, key: object, publish: Publish) -> None:
        """Report changes to `publish` until `key` is removed from `listeners`.

        As long as there are listeners, a lost connection is reopened without a request.
        """
        self.listeners[key] = publish
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep_open(), context=contextvars.Context())

    async def _keep_open(self) -> None:
        while self.listeners:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                await self._connected()
            except ToolError:
                pass  # it is logged, and the upstream's backoff says when to try again
            except Exception:
                LOGGER.exception("cannot reconnect to an upstream")

    def is_subscribed(self, uri: str) -> bool:
        """True if changes of a resource are heard of."""
        return uri in self._subscriptions

    async def subscribe(self, uri: str, exchange: Exchange) -> None:
        """Hear of changes of a resource until `unsubscribe`. Raises as `request` does."""
        known = self._subscriptions.get(uri, 0)
        if not known and len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
            raise MCPError(code=types.INVALID_REQUEST, message="Too many resources are subscribed to.")
        client = await self._connected()
        if (why := (await self._judged_features(client)).why_refused(Subject("resources", uri))) is not None:
            raise UpstreamChangedError(f"Not served: {why}")
        if not known and self._stream is None:
            await self._exchange(client, _subscribing(uri), exchange)
        self._subscriptions[uri] = self._subscriptions.get(uri, 0) + 1
        if not known and self._stream is not None:
            await self._stream.renew()

    async def unsubscribe(self, uri: str, exchange: Exchange) -> None:
        """Hear no more of a resource, after as many calls as of `subscribe`."""
        number = self._subscriptions.pop(uri, 0)
        if number > 1:
            self._subscriptions[uri] = number - 1
        if number != 1:
            return
        client = await self._connected()
        if self._stream is not None:
            await self._stream.renew()
        else:
            params = types.UnsubscribeRequestParams(uri=uri)
            await self._exchange(client, types.UnsubscribeRequest(params=params), exchange)

    async def _renew(self, client: Client) -> None:
        """Subscribe again after a lost connection. Changes may have happened unheard."""
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            for uri in [*self._subscriptions]:
                with suppress(MCPError):  # the resource may be gone
                    await client.session.send_request(_subscribing(uri), _ANYTHING)
        for event in (ResourcesListChanged(), PromptsListChanged()):
            self._publish(event)
        for uri in self._subscriptions:
            self._publish(ResourceUpdated(uri=uri))

    def _publish(self, event: ServerEvent) -> None:
        for publish in list(self.listeners.values()):
            publish(event)

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
        """Begin to close the connection, even if it has listeners."""
        if self._keeping is not None:
            self._keeping.cancel()
            self._keeping = None
        self._lose()

    def _lose(self) -> None:
        """Begin to close the connection. The next call opens a new one."""
        if self._task is not None:
            self._closing.set()
            task, self._task, self._opened = self._task, None, None
            asyncio.get_running_loop().call_later(_CLOSE_SECONDS, task.cancel)
            task.add_done_callback(_retrieved)
            _ENDING.add(task)
            task.add_done_callback(_ENDING.discard)

    async def close(self) -> None:
        """Close the connection, and wait until it is."""
        task = self._task
        self.end()
        if task is not None:
            with suppress(Exception):
                await asyncio.wait({task}, timeout=_CLOSE_SECONDS)


def _subscribing(uri: str) -> types.SubscribeRequest:
    return types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))


def _name_of(client: Client) -> str:
    return "" if client.server_info is None else client.server_info.name


_ENDING: set[asyncio.Task[None]] = set()  # the event loop keeps weak references only


def _retrieved(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()


def _log(line: str) -> None:
    LOGGER.debug("an upstream wrote to stderr: %s", line)
