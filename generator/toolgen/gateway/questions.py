"""Questions of an upstream to the user, passed on to the client whose call it works on.

Up to 2025-11-25 a server asks by a request during the call, since 2026-07-28 by the result of the call. If
the upstream asks by a request, and the client wants the question as a result, the call is held until the
client comes back with the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from toolgen.runtime.adapters.mcp.server_state import is_modern
from toolgen.runtime.context import Progress
from toolgen.runtime.errors import OverloadedError

KEY: Final = "toolgen/forwarded"  # of the question in the result
HELD_SECONDS: Final = 600.0
"""That a call waits for an answer of the user."""
MAX_HELD: Final = 1_000
_NO_USER: Final = types.ErrorData(code=types.INVALID_REQUEST, message="The user cannot be asked.")


@dataclass(frozen=True, slots=True)
class Requester:
    """Who makes a request that is forwarded.

    Attributes:
        request: the request of a client of MCP; None if there is none.
        params: of the request. Those of some methods have the answers of the user.
        progress: reports progress to the client.
        principal: who asks, where known.
        session_id: of a caller that is no client of MCP.
    """

    request: ServerRequestContext[Any, Any] | None
    params: Any
    progress: Progress
    principal: str | None = None
    session_id: str | None = None

    @property
    def is_modern(self) -> bool:
        """True if the client wants questions as results, as it does since protocol 2026-07-28."""
        return self.request is not None and is_modern(self.request)

    @property
    def can_ask(self) -> bool:
        """True if the client can ask its user a question."""
        if self.request is None:
            return False
        capabilities = self.request.session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return False
        return self.is_modern or self.request.session.can_send_request

    @property
    def answers(self) -> tuple[Any, str | None]:
        """Return the answers of the user and the state of the question, as the client sent them."""
        found = getattr(self.params, "input_responses", None), getattr(self.params, "request_state", None)
        return found if self.is_modern else (None, None)


class Exchange:
    """A request that an upstream works on: where its progress and questions go."""

    def __init__(self, requester: Requester) -> None:
        self._requester = requester
        self.questions: asyncio.Queue[_Question] | None = None  # the client wants questions as results

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Report progress to the client."""
        await self._requester.progress(progress, total, message)

    async def ask(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        """Return the answer of the client's user, or an error if there is none."""
        request = self._requester.request
        if request is None:
            return _NO_USER
        if self.questions is not None:
            question = _Question(params)
            await self.questions.put(question)
            return await question.answer
        if is_modern(request):
            return _NO_USER
        try:
            return await request.session.send_request(
                types.ElicitRequest(params=params),
                types.ElicitResult,
                metadata=ServerMessageMetadata(related_request_id=request.request_id),
            )
        except MCPError as error:
            return error.error


@dataclass(slots=True)
class _Question:
    params: types.ElicitRequestParams
    answer: asyncio.Future[types.ElicitResult | types.ErrorData] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(slots=True)
class _HeldCall:
    """A call that waits for the user, and who may answer."""

    identity: str
    loop: int
    task: asyncio.Task[dict[str, Any]]
    exchange: Exchange
    question: _Question | None = None


class HeldCalls:
    """The calls that wait for answers of users, at most `most`, by the state that the client sends back."""

    def __init__(self, most: int = MAX_HELD) -> None:
        self._most = most
        self._held: dict[str, _HeldCall] = {}

    async def run(
        self, work: Coroutine[Any, Any, dict[str, Any]], exchange: Exchange, identity: str
    ) -> dict[str, Any]:
        """Return the result of a call, or the result that asks the user."""
        exchange.questions = asyncio.Queue()
        loop = asyncio.get_running_loop()
        held = _HeldCall(identity, id(loop), loop.create_task(work), exchange)
        return await self._next(held)

    async def resume(self, requester: Requester, identity: str) -> dict[str, Any] | None:
        """Return what a held call answers, now that the user has. None if there is no such call."""
        answers, state = requester.answers
        held = self._held.get(state or "")
        # another user, or another call, gets neither the question nor the result
        if state is None or held is None or held.identity != identity or held.question is None:
            return None
        del self._held[state]
        answer = (answers or {}).get(KEY)
        found = answer if isinstance(answer, types.ElicitResult) else types.ElicitResult(action="cancel")
        if not held.question.answer.done():
            held.question.answer.set_result(found)
        held.question = None
        return await self._next(held)

    async def _next(self, held: _HeldCall) -> dict[str, Any]:
        assert held.exchange.questions is not None
        asked = asyncio.ensure_future(held.exchange.questions.get())
        try:
            await asyncio.wait({held.task, asked}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            held.task.cancel()
            raise
        finally:
            if not asked.done():
                asked.cancel()
        if held.task.done():
            return held.task.result()
        held.question = asked.result()
        if len(self._held) >= self._most:
            held.task.cancel()
            raise OverloadedError("Too many calls wait for answers of users.")
        state = token_urlsafe(16)
        self._held[state] = held
        asyncio.get_running_loop().call_later(HELD_SECONDS, self._expire, state)
        request = types.ElicitRequest(params=held.question.params)
        asks = types.InputRequiredResult(input_requests={KEY: request}, request_state=state)
        return asks.model_dump(mode="json", by_alias=True, exclude_none=True)

    def _expire(self, state: str) -> None:
        held = self._held.pop(state, None)
        if held is not None:
            held.task.cancel()

    def end_all(self, loop: int) -> None:
        """End the held calls of an event loop."""
        for state in [state for state, held in self._held.items() if held.loop == loop]:
            self._expire(state)
