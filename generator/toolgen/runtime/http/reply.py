"""Convert an HTTP reply to the result of a tool, or to an error that the spec declares."""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final

from toolgen.runtime.definition.tool_definition import LOGGED, answers_in
from toolgen.runtime.errors import HttpError, ToolError
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.validation.json_value import is_json

from .client import Reply
from .media import OCTETS, essence, is_binary, is_text
from .media import is_json as is_json_media

_SHOWN = 500  # characters of an error text
_TEMPORARY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)
_MADE = (HTTPStatus.CREATED, HTTPStatus.ACCEPTED)
_DETAILS = 10_000  # characters of an error body in `details`
_LOCATION = 8_000  # characters of an address, as RFC 9110, section 4.1, recommends
_NOT_JSON: Final = object()


class RetryableHttpError(HttpError):
    """An HTTP API answered with a temporary error."""

    retryable = True


_NAMES_OF_CHARSETS: Final = """
ascii big5 euc_jp euc_kr gb18030 gb2312 gbk iso8859-1 iso8859-2 iso8859-15 koi8-r shift_jis utf-8 utf-16
cp1250 cp1251 cp1252 cp1253 cp1254
"""
_CHARSETS: Final = frozenset(_NAMES_OF_CHARSETS.split())
"""Charsets of the web. Others of Python's are slow (`punycode`), or no charsets."""

Errors = Sequence[type[ToolError]]


def result_from_reply(reply: Reply, operation: Mapping[str, Any], has_schema: bool, errors: Errors) -> Any:
    """Return the JSON value of a successful reply. Raises ToolError for any other.

    Content whose type the document leaves open is read by its own type.
    """
    if not HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        raise error_from_reply(reply, operation, errors)
    accept = operation.get("accept", "")
    if not accept and has_schema:
        return {"status": reply.status}
    if not reply.content:
        # RFC 9110, section 15.3.2: what was created, or its progress, is at that address
        created = {"location": reply.headers.get("location")} if reply.status in _MADE else {}
        return {"status": reply.status, **{name: text for name, text in created.items() if text}}
    kind, wanted = essence(reply.headers.get("content-type", "")), essence(accept.partition(",")[0])
    is_open = not accept or "*" in accept
    if kind and is_open and not (wanted and is_binary(wanted)):
        wanted = kind
    if not wanted or is_json_media(wanted):
        value = _parsed(reply)
        if value is not _NOT_JSON:
            return value
        if not is_open and answers_in(operation) != LOGGED:
            message = f"The API answered {reply.status}, with a body that is not JSON."
            raise HttpError(message, details={"status": reply.status})
        wanted = kind
    return _text(reply) if is_text(wanted) or is_json_media(wanted) else _binary(reply, kind)


def error_from_reply(reply: Reply, operation: Mapping[str, Any], errors: Errors) -> ToolError:
    """Return the error for the status of a reply: the declared one, or else HttpError."""
    declared = operation.get("errors", {})
    status = str(reply.status)
    code = declared.get(status) or declared.get(f"{status[0]}XX") or declared.get("default", "http_error")
    temporary = reply.status in _TEMPORARY or reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    default = RetryableHttpError if temporary else HttpError
    error_class = next((error for error in errors if error.code == code), default)
    details: dict[str, Any] = {"status": reply.status}
    message = f"The API answered {reply.status} {reply.reason[:60]}".rstrip()
    body = _body(reply)
    if reason := _reason(body):
        message += f": {reason}"
    if wait := reply.headers.get("retry-after", "")[:40]:
        details["retry_after"] = wait
        message = f"{message.rstrip('.')}. Retry after {wait}" + (" seconds" if wait.isdigit() else "")
    is_redirect = HTTPStatus.MULTIPLE_CHOICES <= reply.status < HTTPStatus.BAD_REQUEST
    if is_redirect and (location := reply.headers.get("location", "")[:_LOCATION]):
        details["location"] = location
        message += ": it redirects to another address, which is not followed"
    if body is not None and len(json.dumps(body)) <= _DETAILS:
        details["body"] = body
    return error_class(f"{message.rstrip('.')}.", details=details, retry_after=seconds_of(wait))


def seconds_of(retry_after: str) -> float | None:
    """Return the seconds of a Retry-After header, which has them or a date (RFC 9110, section 10.2.3)."""
    if retry_after.isdecimal():
        return float(retry_after[:9])
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, round((date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()))


def without_secrets(error: ToolError, secrets: list[str]) -> ToolError:
    """Return the same error with `secrets` redacted."""
    message, details = redact(error.message, secrets), redact(error.details, secrets)
    return type(error)(message, details=details, retry_after=error.retry_after)


def _parsed(reply: Reply) -> Any:
    """Return the body parsed as JSON; `_NOT_JSON` if it is not JSON, or what Python parses beyond it."""
    try:
        value = json.loads(reply.content)
    except (ValueError, RecursionError):
        return _NOT_JSON
    return value if is_json(value) else _NOT_JSON


def _text(reply: Reply) -> str:
    """Return the body as text: in its charset, if that is one of the web's, or else in UTF-8."""
    charset = reply.headers.get("content-type", "").lower().partition("charset=")[2].strip("\"' ;")
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        name = ""
    return reply.content.decode(name if name in _CHARSETS else "utf-8", "replace")


def _binary(reply: Reply, kind: str) -> dict[str, str]:
    content = base64.b64encode(reply.content).decode()
    return {"media_type": kind or OCTETS, "base64": content}


def _body(reply: Reply) -> Any:
    """Return the body of an error reply: JSON, text, or None if it is neither."""
    kind = reply.headers.get("content-type", "")
    if is_json_media(kind):
        value = _parsed(reply)
        return None if value is _NOT_JSON else value
    return _text(reply)[:_SHOWN] if kind.startswith("text/plain") else None


def _reason(body: Any) -> str:
    """Return the message in an error body: RFC 9457's `detail`, or one of the keys that most APIs use.

    Without them it is the JSON of the body: Django REST names what is wrong by the fields of a request.
    """
    keys = ("detail", "message", "error_description", "error", "title", "reason", "errors")
    found: Any = body
    while isinstance(found, dict) and any(found.get(key) for key in keys):
        found = next(found[key] for key in keys if found.get(key))
    if isinstance(found, dict | list) and found:
        found = json.dumps(found, ensure_ascii=False)
    text = " ".join(str(found).split()) if isinstance(found, str) else ""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
