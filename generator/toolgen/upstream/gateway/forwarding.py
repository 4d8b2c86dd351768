"""Forward a request to an upstream: over the connection of its caller, with the questions to its user."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolgen.runtime.errors import OutcomeUnknownError, ToolError
from toolgen.runtime.logs.redaction import redact
from toolgen.serving.held_questions import Exchange, Requester
from toolgen.sources.mcp_client.outcomes import Failure, RequestFailedError

from .upstream import Upstream
from .upstream_connection import Connection

_RESERVED: Final = ("io.modelcontextprotocol/", "toolgen/")
_TRACE: Final = ("traceparent", "tracestate", "baggage")  # which MCP names for `_meta` (SEP-414)
_REPEATED: Final = (Failure.LOST, Failure.FAILED)
_MAX_ROUNDS: Final = 10  # of questions in one call
_PAUSE: Final = 0.25  # seconds, before a request is sent again that has asked nothing: as the SDK's client
_ONLY_USER: Final = types.ErrorData(code=types.INVALID_REQUEST, message="Only the user can be asked.")
Send = Callable[[Connection, Any, Exchange], Awaitable[dict[str, Any]]]
"""Sends a request with these params over a connection."""


async def forward(
    upstream: Upstream, requester: Requester, params: Any, send: Send, *, may_repeat: bool
) -> dict[str, Any]:
    """Return the result of the upstream as JSON, or the question that its user has to answer.

    Values of the upstream's credentials are masked. With `may_repeat`, the request is sent again if the
    connection ended during it. Raises MCPError if the upstream refuses it, and ToolError.
    """
    secrets = upstream.secrets
    try:
        try:
            found = await _asked(upstream, requester, params, send)
        except RequestFailedError as failed:
            if not may_repeat or failed.failure not in _REPEATED:
                raise
            found = await _asked(upstream, requester, params, send)
    except RequestFailedError as failed:
        raise outcome_of(failed, is_harmless=may_repeat) from None
    except MCPError as raised:
        error = raised.error
        data = redact(error.data, secrets)
        raise MCPError(code=error.code, message=redact(error.message, secrets), data=data) from None
    result: dict[str, Any] = redact(found, secrets)
    return result


def outcome_of(failed: RequestFailedError, *, is_harmless: bool) -> ToolError:
    """Return the error of a forwarded request. It is retryable if nothing was done, or nothing harmful."""
    failure, status = failed.failure, failed.status
    kind = failure.outcome
    if failure.may_be_done:
        hint = "" if is_harmless else OutcomeUnknownError.hint
        kind = type(kind.__name__, (kind,), {"retryable": is_harmless, "hint": hint})
    text = f"The server behind it {failure.text}{f': HTTP {status}' if status else ''}."
    return kind(text, details={"status": status} if status else None, retry_after=failed.retry_after)


async def _asked(upstream: Upstream, requester: Requester, params: Any, send: Send) -> dict[str, Any]:
    exchange = Exchange(requester, upstream.lock.stem)
    if not requester.is_modern or upstream.shared:
        return await _sent(upstream, requester, params, send, exchange)
    # what must be the same when a client comes back with an answer
    sent = params.model_dump(mode="json", exclude={"meta", "input_responses", "request_state"})
    identity = json.dumps([type(params).__name__, sent, requester.principal], sort_keys=True)
    resumed = await upstream.held.resume(requester, identity)
    if resumed is not None:
        return _fields(resumed)
    work = _sent(upstream, requester, params, send, exchange)
    return _fields(await (upstream.held.run(work, exchange, identity) if requester.can_ask else work))


def _fields(result: dict[str, Any] | types.InputRequiredResult) -> dict[str, Any]:
    if isinstance(result, dict):
        return result
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def _sent(
    upstream: Upstream, requester: Requester, params: Any, send: Send, exchange: Exchange
) -> dict[str, Any]:
    answers, state = requester.answers
    if answers is not None or state is not None:
        params = params.model_copy(update={"input_responses": answers, "request_state": state})
    async with upstream.connection(requester) as connection:
        for _ in range(_MAX_ROUNDS + 1):
            fields = await send(connection, params, exchange)
            if fields.get("resultType") != "input_required":
                return fields
            asked = _question(fields)
            if requester.is_modern:
                return exchange.passed_on(fields, asked)
            questions = asked.input_requests or {}
            found = {name: await _answer(exchange, each) for name, each in questions.items()}
            if not found:
                await asyncio.sleep(_PAUSE)  # it asks nothing, and wants the request again
            again = {"input_responses": found or None, "request_state": asked.request_state}
            params = params.model_copy(update=again)
    raise RequestFailedError(Failure.ENDLESS, "the server asks the user again and again")


def _question(fields: dict[str, Any]) -> types.InputRequiredResult:
    """Return a question of the upstream. Raises MCPError if it is not for the user."""
    try:
        asked = types.InputRequiredResult.model_validate(fields, by_name=False)
    except ValueError as error:
        raise RequestFailedError(Failure.INVALID, "a question that is none of MCP", error) from None
    if not all(isinstance(each, types.ElicitRequest) for each in (asked.input_requests or {}).values()):
        raise MCPError.from_error_data(_ONLY_USER)
    return asked


async def _answer(exchange: Exchange, asked: Any) -> types.ElicitResult:
    """Return the user's answer to a question of the upstream. Raises MCPError if there is none."""
    answer = await exchange.ask(asked.params)
    if isinstance(answer, types.ErrorData):
        raise MCPError.from_error_data(answer)
    return answer


def forwarded_meta(upstream: Upstream, meta: Mapping[str, Any] | None) -> Any:
    """Return what an upstream gets of a client's `_meta`: what MCP names, and `caller_meta`."""
    names = (*_TRACE, *upstream.caller_meta)
    return {key: value for key, value in (meta or {}).items() if key in names} or None


def without_stamps(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what is about the connection to the upstream."""
    meta = fields.get("_meta")
    if not isinstance(meta, dict):
        return fields
    own = {key: value for key, value in meta.items() if not key.startswith(_RESERVED)}
    return {
        **{key: value for key, value in fields.items() if key != "_meta"},
        **({"_meta": own} if own else {}),
    }
