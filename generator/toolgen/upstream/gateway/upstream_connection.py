"""One connection to an upstream: opened when it is first used, judged by the lock, opened again when lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import HEADER_MISMATCH
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

from toolgen.base import MIB
from toolgen.runtime.errors import ToolError, UpstreamChangedError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import redact
from toolgen.serving.held_questions import Exchange
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.client import (
    OpenTransport,
    first_cause,
    open_transport,
    read_features,
    read_tools,
)
from toolgen.sources.mcp_client.connection import ServerConnection
from toolgen.sources.mcp_client.limits import ByteBudget
from toolgen.sources.mcp_client.outcomes import CERTAIN, Failure, RequestFailedError, of_answer

from .firewall import FeatureVerdicts, Subject

if TYPE_CHECKING:
    from .upstream import Upstream

MAX_BYTES: Final = 32 * MIB
"""Of everything that an upstream sends from one request to the next: some copies of it are made."""
MAX_VALUES: Final = 250_000
"""In one message of an upstream: while they are worked on, other clients wait, for half a second at most."""
_LISTEN_SECONDS: Final = 1.0  # until a stream of changes that was lost is opened again
_CHANGES: Final = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
)
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


class Connection(ServerConnection):
    """A connection to an upstream.

    Attributes:
        users: calls that use it now.
        used: when the last of them ended, in monotonic seconds.
    """

    def __init__(
        self, upstream: Upstream, *, asks: bool, prefers_legacy: bool, caller: Mapping[str, str]
    ) -> None:
        """Prepare it: the first call connects. With `asks`, the client of all its calls can ask its user.

        `caller` has the headers of its caller that the upstream gets.
        """
        super().__init__(upstream.address({}), elicit=self._ask if asks else None)
        self.users, self.used, self._caller = 0, monotonic(), caller
        self._upstream, self._prefers_legacy = upstream, prefers_legacy
        self._has_client = False  # since the last attempt to connect
        self._reported: set[str] = set()  # kinds of what was dropped
        self._exchanges: list[Exchange] = []
        self._refused: Mapping[str, str] = {}
        self._is_stale = False  # the upstream says that its list of tools has changed
        self._features: FeatureVerdicts | None = None  # None: not judged since they have changed
        self._has_changed = False  # while they are listed
        self._judging = asyncio.Lock()

    async def call(
        self, params: types.CallToolRequestParams, exchange: Exchange, seconds: float | None = None
    ) -> dict[str, Any]:
        """Return the result of a call, as the upstream sent it, within `seconds`.

        Raises UpstreamChangedError if the tool is not the one in the lock, MCPError if the upstream refuses
        the call, RequestFailedError if there is no result.
        """

        async def check(client: Client) -> None:
            await self._refuse_changed(client, params.name)

        request = types.CallToolRequest(params=params)
        return await self._forward(params.name, check, request, exchange, seconds)

    async def forward(
        self, request: types.Request[Any, Any], exchange: Exchange, subject: Subject | None = None
    ) -> dict[str, Any]:
        """Return the result of a request about the resource or prompt `subject`, as the upstream sent it.

        Raises UpstreamChangedError if it is not the one in the lock, else as `call` does.
        """

        async def check(client: Client) -> None:
            why = (await self._judged_features(client)).why_refused(subject)
            if why is not None:
                raise UpstreamChangedError(f"Not served: {why}")

        return await self._forward(request.method, check, request, exchange, None)

    async def _forward(
        self,
        name: str,
        check: Callable[[Client], Awaitable[None]],
        request: types.Request[Any, Any],
        exchange: Exchange,
        seconds: float | None,
    ) -> dict[str, Any]:
        is_sent = False

        async def make(client: Client) -> dict[str, Any]:
            nonlocal is_sent
            is_sent = False  # in a session that the upstream had forgotten, nothing was done
            await check(client)
            is_sent = True
            return await self._send(client, request, exchange)

        try:
            result = await self.request(make, seconds)
        except (RequestFailedError, SourceError) as error:
            failed = error if isinstance(error, RequestFailedError) else _invalid(error)
            is_answer = failed.failure is Failure.REFUSED and is_sent
            if failed.error is not None and (is_answer or isinstance(failed.error, ToolError)):
                raise failed.error from None
            if failed.failure.may_be_done and not is_sent:
                failed = RequestFailedError(Failure.UNREACHABLE, str(failed), failed.error)
            self._upstream.note_failure(name, failed.failure, self._masked(str(failed)))
            raise failed from None
        self._upstream.note_success(name)
        return result

    async def open(self) -> Client:
        """Return the SDK's client, connected. Raises RequestFailedError soon after an attempt that failed."""
        if self._task is None or self._has_ended():
            self._upstream.address(caller=self._caller)  # no attempt is made without its credentials
            self._upstream.backoff.check()
        client: Client = await super().open()
        return client

    def give_up(self, failed: RequestFailedError) -> None:
        """End a connection that could not be opened; others are not opened at once."""
        self._upstream.backoff.failed(failed)
        super().give_up(failed)

    def _report(self, kind: str, sent: str) -> None:
        """Log what the upstream sent and that was dropped: each kind once for a connection as a warning."""
        level = logging.DEBUG if kind in self._reported else logging.WARNING
        self._reported.add(kind)
        super()._report(kind, sent)
        LOGGER.log(level, "%s sent %s, %s", self._upstream.part, self._masked(sent), kind)

    def _masked(self, text: str) -> str:
        found: str = redact(text, [*self._upstream.secrets, *self._caller.values()])
        return found

    async def _send(
        self, client: Client, request: types.Request[Any, Any], exchange: Exchange
    ) -> dict[str, Any]:
        # the JSON itself: the SDK's types drop keys that they do not know
        send = partial(client.session.send_request, request, _ANYTHING, progress_callback=exchange.progress)
        self._exchanges.append(exchange)
        try:
            result: dict[str, Any] = await send()
        except MCPError as error:
            # the tool's schema names headers that the SDK knows from the list: list, and send once more
            if error.code != HEADER_MISMATCH:
                raise
            await client.list_tools(cache_mode="bypass")
            result = await send()
        finally:
            self._exchanges.remove(exchange)
        return result

    def _open_transport(self) -> AbstractAsyncContextManager[OpenTransport]:
        address = self._upstream.address(caller=self._caller)
        budget = ByteBudget(address.shown, MAX_BYTES, values=MAX_VALUES)
        log = partial(LOGGER.debug, "an upstream wrote to stderr: %s")
        return open_transport(address, budget, log=log, is_patient=True, report=self._report)

    async def _hold(self, ready: asyncio.Future[Any], closing: asyncio.Event, **options: Any) -> None:
        upstream = self._upstream
        self._has_client = False
        if self._prefers_legacy and not upstream.is_modern_only:
            try:
                await super()._hold(ready, closing, mode="legacy", cache=None)
                return
            except Exception as error:
                cause = first_cause(error)
                reported = of_answer(cause)
                if self._has_client or not isinstance(cause, MCPError | RuntimeError):
                    raise
                if reported is not None and reported.failure in CERTAIN:
                    raise
        # the server answers, and refuses the old handshake
        await super()._hold(ready, closing, mode="auto", cache=None)

    async def _prepare(self, client: Client) -> None:
        self._has_client = True
        upstream, is_modern = self._upstream, client.protocol_version in MODERN_PROTOCOL_VERSIONS
        upstream.is_modern_only |= self._prefers_legacy and is_modern
        await self._judge(client)
        upstream.backoff.succeeded()
        self._features = None

    async def _attend(self, client: Client, closing: asyncio.Event) -> None:
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
                    async for _ in events:  # `_handle` gets them, too
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
        listed = await read_tools(client, self.server.shown) if can.tools else []
        self._refused = await self._upstream.firewall.judge(_name_of(client), listed)

    async def _judged_features(self, client: Client) -> FeatureVerdicts:
        """Return which resources and prompts are as the lock has them: listed when they are first needed."""
        async with self._judging:
            while (found := self._features) is None:
                self._has_changed = False
                lists = await read_features(client, self.server.shown)
                found = await self._upstream.firewall.judge_features(_name_of(client), lists)
                # what changed while it was listed is listed again
                self._features = None if self._has_changed else found
        return found

    async def _handle(self, message: Any) -> None:
        if isinstance(message, _CHANGES):
            self._is_stale, self._features, self._has_changed = True, None, True

    async def _ask(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        """Ask the user of the call that the upstream works on; all calls here are of one session."""
        if not self._exchanges:
            return types.ErrorData(code=types.INVALID_REQUEST, message="There is no call that could ask.")
        with ExitStack() as stack:
            for clock in self._clocks.values():
                stack.enter_context(clock.stopped())
            return await self._exchanges[-1].ask(params)


def _invalid(error: SourceError) -> RequestFailedError:
    return RequestFailedError(Failure.INVALID, error.message, error)


def _name_of(client: Client) -> str:
    return "" if client.server_info is None else client.server_info.name
