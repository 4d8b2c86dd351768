"""Answers of a server over HTTP and stdio: each request of MCP gets one, so that its call ends.

What does not answer a request becomes an answer that says so, with a `Failure`. The SDK by itself reports
most of it alike, lets a call wait for ever whose answer it cannot read, gives any answer in a stream of HTTP
to the call that opened it, ends all calls when one cannot be sent, and refuses a list of which one definition
is not valid.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from http import HTTPStatus
from itertools import compress
from secrets import token_hex
from typing import Any, Final

import httpx2
import mcp_types as types
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from toolgen.base.suggestions import quoted
from toolgen.runtime.http.reply import seconds_of
from toolgen.serving.server_state import SESSION_HEADER
from toolgen.sources.definitions import OF_A_SERVER, key_of
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.bounded_http import BoundedClient, BoundedStream, RedirectError, has_events
from toolgen.sources.mcp_client.outcomes import (
    CERTAIN,
    KEY,
    STATUSES,
    Failure,
    Report,
    RequestFailedError,
)

WHOLE: Final = f"toolgen/{token_hex(16)}"
"""Key of `_meta`, which no server knows: the list as it came, of which the SDK gets the valid definitions."""
_LISTS: Final = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}
_SHOWN: Final = 200  # characters of what cannot be read
_BOM: Final = b"\xef\xbb\xbf"  # RFC 8259, section 8.1: parsers may ignore it
_PAUSE: Final = 0.25
"""Seconds before a stream is opened again: servers may end each at once, and want no pause (`retry: 0`)."""
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_NOT_SENT: Final = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.LocalProtocolError,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.TooManyRedirects,
    httpx2.UnsupportedProtocol,
    RedirectError,
)


def as_answer(request_id: types.RequestId, failed: RequestFailedError) -> types.JSONRPCError:
    """Return a failure as the answer to a request, for the SDK, which hands it to the call that waits."""
    found = {KEY: failed.failure.name, "retry_after": failed.retry_after, "status": failed.status}
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=str(failed), data=found)
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=error)


def read_message(
    text: bytes,
    waiting: Collection[types.RequestId],
    report: Report,
    *,
    listening: Collection[types.RequestId] = (),
) -> types.JSONRPCMessage | None:
    """Return the message that a server sent; None if it is none, or answers a request that does not wait.

    `waiting` and `listening` are the ids of requests that it may answer. An answer that cannot be read
    becomes a failure of the only one that waits. `report` gets what is dropped.
    """
    text = text.removeprefix(_BOM)
    only = next(iter(waiting)) if len(waiting) == 1 else None
    try:
        message: types.JSONRPCMessage = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValueError:
        shown = quoted(text[: 2 * _SHOWN].decode("utf-8", "replace"), _SHOWN)
        report("which is no message of MCP", shown)
        # neither what a server prints nor a notification
        if only is None or b'"jsonrpc"' not in text or b'"method"' in text:
            return None
        return as_answer(only, RequestFailedError(Failure.INVALID, f"its answer cannot be read: {shown}"))
    if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
        if message.id is None and only is not None:
            message.id = only
        elif str(message.id) not in map(str, (*waiting, *listening)):
            report("the id of an answer to a request that does not wait for one", quoted(str(message.id)))
            return None
    if isinstance(message, types.JSONRPCResponse):
        for key in _LISTS.keys() & message.result.keys():
            _leave_out_odd(message.result, key, report)
    # nobody reads log messages, and each would take a task
    return None if getattr(message, "method", "") == "notifications/message" else message


def of_response(response: httpx2.Response, error: types.JSONRPCError | None) -> RequestFailedError | None:
    """Return the failure that a response of HTTP reports; None if `error`, its body, is the answer."""
    status, headers = response.status_code, response.headers
    failure = STATUSES.get(status, Failure.FAILED)
    is_unknown = error is None or error.error.code != types.METHOD_NOT_FOUND
    # MCP 2025-11-25, transports: 404. After the SDKs' examples, others answer 400, without the request's id.
    if SESSION_HEADER in response.request.headers and (
        (status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE) and is_unknown)
        or (status == HTTPStatus.BAD_REQUEST and (error is None or error.id is None))
    ):
        failure = Failure.SESSION
    if error is not None and failure not in CERTAIN:
        return None
    after = seconds_of(headers.get("retry-after", ""))
    if failure is Failure.UNAVAILABLE and after is not None:
        failure = Failure.UNREACHABLE  # RFC 9110, section 15.6.4: it does not handle requests until then
    if failure is Failure.UNAUTHORIZED and "insufficient_scope" in headers.get("www-authenticate", ""):
        failure = Failure.UNSCOPED  # RFC 6750, section 3.1
    about = f": {quoted(error.error.message, _SHOWN)}" if error is not None else ""
    reason = f"HTTP {status}{about or (' without an answer' if response.is_success else '')}"
    return RequestFailedError(failure, reason, retry_after=after, status=status)


def _leave_out_odd(result: dict[str, Any], key: str, report: Report) -> None:
    """Keep only the definitions of a list that the SDK accepts; see `WHOLE`."""
    listed, meta = result[key], result.get("_meta")
    if not isinstance(listed, list) or _is_valid(result, key, listed):
        return
    is_valid = [_is_valid(result, key, [each]) for each in listed]
    odd = [key_of(each, OF_A_SERVER, (at,)) for at, each in enumerate(listed) if not is_valid[at]]
    report(f"{key} that break MCP", ", ".join(quoted(each, 40) for each in odd))
    result[key] = [*compress(listed, is_valid)]
    result["_meta"] = {**(meta if isinstance(meta, dict) else {}), WHOLE: listed}


def _is_valid(result: dict[str, Any], key: str, listed: list[Any]) -> bool:
    """True if the SDK accepts a result with this list."""
    version = MODERN_PROTOCOL_VERSIONS[-1] if "resultType" in result else LATEST_HANDSHAKE_VERSION
    try:
        validate_server_result(_LISTS[key], version, {**result, key: listed})
    except ValueError:
        return False
    return True


class AnsweringClient(BoundedClient):
    """Answers each request of MCP: with a failure, if the server does not."""

    def __init__(self, report: Report, **options: Any) -> None:
        super().__init__(**options)
        self._report = report
        self._resumed: dict[str, types.RequestId] = {}  # requests by the last event of their streams

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request. The response to one of MCP has an answer to it, if it has a body."""
        asked = _message_in(request)
        if asked is None:
            if request.method == "GET":
                await asyncio.sleep(_PAUSE)
            own = self._resumed.get(request.headers.get("last-event-id", ""))
            return self._with_answers(await super().send(request, **options), own)
        own = asked.id if isinstance(asked, types.JSONRPCRequest) else None
        try:
            response = await super().send(request, **{**options, "follow_redirects": True})
            if own is None or has_events(response):
                return self._with_answers(response, own)
            return _with_body(response, await self._answer(response, own))
        except Exception as error:  # with which the SDK would end all calls
            failed = _failure_of(error)
        if own is None:
            self._report("in answer to a notification", str(failed))
            return httpx2.Response(HTTPStatus.ACCEPTED, request=request)
        return _with_body(httpx2.Response(HTTPStatus.OK, request=request), _json(as_answer(own, failed)))

    def _with_answers(self, response: httpx2.Response, own: types.RequestId | None) -> httpx2.Response:
        if own is not None and has_events(response) and isinstance(response.stream, BoundedStream):
            response.stream = _Answers(response.stream, own, self._report, self._resumed)
        return response

    async def _answer(self, response: httpx2.Response, own: types.RequestId) -> bytes:
        """Return the answer in a response other than a stream, or a failure."""
        kind = response.headers.get("content-type", "").lower()
        try:
            # some servers call it text, as Go does by default
            body = await response.aread() if response.is_success or "json" in kind else b""
        finally:
            await response.aclose()
        answer = None
        if response.is_success:
            answer = read_message(body, {own}, self._report) if body else None
            if isinstance(answer, types.JSONRPCResponse | types.JSONRPCError):
                return _json(answer)
        else:
            with suppress(ValueError):
                answer = types.jsonrpc_message_adapter.validate_json(body, by_name=False)
        error = answer if isinstance(answer, types.JSONRPCError) else None
        failed = of_response(response, error)
        if failed is not None:
            return _json(as_answer(own, failed))
        assert error is not None
        error.id = own  # a server that refuses a request before it reads it does not know the id
        return _json(error)


class _Answers(httpx2.AsyncByteStream):
    """The events that answer one request: the SDK takes any answer among them for it."""

    def __init__(
        self,
        stream: BoundedStream,
        own: types.RequestId,
        report: Report,
        resumed: dict[str, types.RequestId],
    ) -> None:
        self._stream, self._own, self._report, self._resumed = stream, own, report, resumed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        last, is_answered = "", False
        failed = RequestFailedError(Failure.FAILED, "the stream of its answer ended without one")
        try:
            async for event in self._stream:
                lines = [line.removeprefix(_BOM).partition(b":") for line in _LINE_END.split(event)]
                fields = [(name, value.removeprefix(b" ")) for name, _, value in lines if name]
                others = {name: value for name, value in fields if name != b"data"}
                if own := others.get(b"id"):
                    self._resumed.pop(last, None)
                    last = own.decode("utf-8", "replace")
                    self._resumed[last] = self._own
                data = b"\n".join(value for name, value in fields if name == b"data")
                if data and others.get(b"event", b"message") == b"message":
                    message = read_message(data, {self._own}, self._report)
                    if message is None:
                        continue
                    is_answered |= isinstance(message, types.JSONRPCResponse | types.JSONRPCError)
                    fields = [*others.items(), (b"data", _json(message))]
                    event = b"".join(b"%b: %b\n" % field for field in fields) + b"\n"
                yield event
        except Exception as error:
            failed = _failure_of(error)
        if is_answered:
            self._resumed.pop(last, None)
        elif not last or isinstance(failed.error, SourceError):  # else, the SDK resumes it
            yield b"data: %b\n\n" % _json(as_answer(self._own, failed))

    async def aclose(self) -> None:
        await self._stream.aclose()


def _message_in(request: httpx2.Request) -> types.JSONRPCMessage | None:
    """Return the message of MCP in a request; None if there is none."""
    if request.method != "POST":
        return None
    with suppress(ValueError):
        return types.jsonrpc_message_adapter.validate_json(request.content, by_name=False)
    return None


def _json(message: types.JSONRPCMessage) -> bytes:
    return json.dumps(message.model_dump(by_alias=True, exclude_unset=True)).encode()


def _with_body(response: httpx2.Response, body: bytes) -> httpx2.Response:
    """Return a response with a message as its body, which keeps the session."""
    headers = {key: value for key, value in response.headers.items() if key == SESSION_HEADER}
    headers["content-type"] = "application/json"
    return httpx2.Response(HTTPStatus.OK, headers=headers, content=body, request=response.request)


def _failure_of(error: Exception) -> RequestFailedError:
    """Return the failure for an exception of httpx2, or of a check."""
    if isinstance(error, _NOT_SENT):
        failure = Failure.UNREACHABLE
    else:
        failure = Failure.INVALID if isinstance(error, SourceError) else Failure.FAILED
    return RequestFailedError(failure, str(error) or type(error).__name__, error)
