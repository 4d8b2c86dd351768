"""Look at requests before the SDK does; answer requests with JSON-RPC errors."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final

import mcp_types as types
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from toolgen.runtime.validation.json_value import is_json
from toolgen.runtime.validation.strict_json import NotStrictJsonError, has_more_values, parse_members

INVALID_ID: Final = "The id of a request must be a string or an integer."
REASON: Final = "toolgen.refusal"
"""The key of an ASGI scope for the reason why the request is refused."""


BYTES_PER_VALUE: Final = 32
"""A request may have one value for each of these bytes of its limit: an object, as a model, takes 800."""
MIN_VALUES: Final = 1_000  # that are allowed whatever the limit


class RefusedError(Exception):
    """A request is refused with an HTTP status and a JSON-RPC error."""

    def __init__(self, status: int, message: str, code: int = types.INVALID_REQUEST, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers


def path_of(scope: Scope) -> str:
    """Return the path of a request below that at which the application is mounted."""
    root, path = scope.get("root_path", ""), scope["path"]
    return str(path[len(root) :] if root and path.startswith(root) else path)


def check_values(body: bytes, limit: int) -> None:
    """Raise RefusedError if JSON has too many values for a request of at most `limit` bytes."""
    most = max(MIN_VALUES, limit // BYTES_PER_VALUE)
    if has_more_values(body, most):
        message = f"The request has more than {most} values."
        raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)


def replay(message: Message, receive: Receive) -> Receive:
    """Return a `receive` that returns a message that has been read, and then what `receive` returns."""
    pending = [message]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in `body`; empty if it has none."""
    try:
        message: Any = from_json(body)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def has_invalid_id(message: Any) -> bool:
    """True for a request whose id is not valid. The SDK takes it for a notification, and answers nothing."""
    message_id = message.get("id") if isinstance(message, dict) else None
    return message_id is not None and not _is_id(message_id)


def read_id(body: bytes) -> str | int | None:
    """Return the id of the request in `body`, even if the rest of it cannot be parsed.

    None if there is no valid id or more than one, and for a response, whose id is one of the server's.
    """
    try:
        message = parse_members(body)
    except NotStrictJsonError:
        return None
    is_request = "result" not in message and "error" not in message
    return message["id"] if is_request and _is_id(message.get("id")) else None


def _is_id(value: Any) -> bool:
    # in Python, True is an int
    return isinstance(value, str | int) and not isinstance(value, bool) and is_json(value)


def answering(body: bytes, send: Send) -> Send:
    """Return a `send` that adds the id of the request in `body` to an error without id.

    The SDK gives errors that it finds before a request is handled no id.
    """
    held: Message | None = None  # the beginning of the response, with the length of the error

    async def answer(message: Message) -> None:
        nonlocal held
        if message["type"] == "http.response.start" and message["status"] >= HTTPStatus.BAD_REQUEST:
            held = message
            return
        if held is not None:
            start, held = held, None
            text = _with_id(message.get("body", b""), body)
            if text is not None:
                headers = [each for each in start["headers"] if each[0] != b"content-length"]
                start["headers"] = [*headers, (b"content-length", str(len(text)).encode())]
                message["body"] = text
            await send(start)
        await send(message)

    return answer


def _with_id(error: bytes, body: bytes) -> bytes | None:
    """Return the JSON-RPC `error` with the id of the request in `body`; None if it has one, or is a text."""
    try:
        message = json.loads(error)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("id", "") is not None:
        return None
    return json.dumps({**message, "id": read_id(body)}).encode()


def reads_json_only(accept: str) -> bool:
    """True for an Accept header of a client that reads JSON, and no stream of events."""
    others = ("text/event-stream", "text/*", "*/*")
    return "application/json" in accept and not any(each in accept for each in others)


def as_json(scope: Scope, send: Send) -> Send:
    """Return a `send` that answers with the last event of a stream as JSON; a request accepts both then.

    MCP asks clients to read streams. The progress of a call does not reach one that does not.
    """
    headers = [each for each in scope["headers"] if each[0] != b"accept"]
    scope["headers"] = [*headers, (b"accept", b"application/json, text/event-stream")]
    start: Message | None = None  # of a stream
    last = b""

    async def answer(message: Message) -> None:
        nonlocal start, last
        if message["type"] == "http.response.start":
            if Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream"):
                start = message
                return
        elif start is not None:
            found = [line for line in message.get("body", b"").splitlines() if line.startswith(b"data:")]
            last = found[-1].removeprefix(b"data:").strip() if found else last
            if message.get("more_body"):
                return
            replaced = (b"content-type", b"content-length")
            headers = [each for each in start["headers"] if each[0] not in replaced]
            size = str(len(last)).encode()
            headers += [(b"content-type", b"application/json"), (b"content-length", size)]
            await send({**start, "headers": headers})
            message = {**message, "body": last}
        await send(message)

    return answer


async def send_refusal(
    refused: RefusedError, message_id: str | int | None, *, scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer a refused request with its JSON-RPC error. Close the connection unless the status is 400."""
    scope[REASON] = str(refused).removesuffix(".")
    error = {"code": refused.code, "message": str(refused)}
    headers = {name.replace("_", "-"): value for name, value in refused.headers.items()}
    if refused.status != HTTPStatus.BAD_REQUEST:  # the body has not been read, or the server is stopping
        headers["connection"] = "close"
    body = {"jsonrpc": "2.0", "id": message_id, "error": error}
    await JSONResponse(body, refused.status, headers)(scope, receive, send)
