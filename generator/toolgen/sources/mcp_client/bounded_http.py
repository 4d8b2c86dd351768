"""HTTP for imports: bytes are counted, redirects stay within the origin, nothing is decompressed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx2

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import quoted
from toolgen.schema.limits import BUDGET
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.limits import ByteBudget

MAX_BYTES = BUDGET.import_bytes
_MAX_REDIRECTS = 5
_INTERNAL_ERROR = -32603  # the code of JSON-RPC that the SDK gives to errors of HTTP
_NOT_ACCEPTED = "HTTP 401: there is no token, or none that the server accepts"
_NOT_SENT = "the request cannot be sent: is there a line end in one of its headers?"
_BLANK_LINE = re.compile(rb"\n\r*\n")  # ends an event; one after a line that \r ends is not needed


def fetch(url: str) -> bytes:
    """Return the document at `url`, possibly gzipped. Raises `SourceError` with what the server did."""
    shown = display_url(url)
    try:
        return asyncio.run(_fetch(url))
    except TimeoutError:
        raise SourceError(
            f"{shown}: no answer within {limits.TIME_LIMIT:g} seconds",
            "download the document, and give the file",
        ) from None
    except httpx2.TooManyRedirects:
        raise SourceError(
            f"{shown}: more than {_MAX_REDIRECTS} redirects", "give the document's URL"
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceError(f"{shown}: {str(error) or type(error).__name__}", "is the URL right?") from None


async def _fetch(url: str) -> bytes:
    budget = ByteBudget(display_url(url), MAX_BYTES, values=MAX_BYTES)  # which need not be JSON
    async with asyncio.timeout(limits.TIME_LIMIT), bounded_client(url, budget) as client:
        response = await client.get(url, headers={"Accept-Encoding": "gzip"})
        if response.status_code != 200:
            raise SourceError(
                f"{display_url(url)}: the server answers {response.status_code}", "give the document's URL"
            )
        return response.content


@asynccontextmanager
async def bounded_client(
    url: str,
    budget: ByteBudget,
    *,
    headers: Mapping[str, str] | None = None,
    is_patient: bool = False,
    auth: httpx2.Auth | None = None,
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client for `url` whose responses have no more bytes together than the budget.

    With `is_patient`, any time may pass between two parts of a response.
    It follows redirects within the origin, and from http to https on the same host. Any other host might
    answer with something that nobody asked for, so such a redirect raises `SourceError`, which names it.
    """

    async def limit(response: httpx2.Response) -> None:
        if response.has_redirect_location:
            before = str(response.request.url)
            _check_redirect(before, urljoin(before, response.headers["location"]))
        # a proxy has lost the server during the request: the same as a connection that ends
        if response.status_code in (502, 504):
            raise httpx2.RemoteProtocolError(f"HTTP {response.status_code}")
        # without the header, httpx2 does not decompress: whoever asked for gzip does, within a limit
        encoding = response.headers.pop("Content-Encoding", "identity").strip().lower()
        if encoding not in ("", "identity", response.request.headers["Accept-Encoding"]):
            raise SourceError(f"{budget.name}: a Content-Encoding that nobody asked for: {quoted(encoding)}")
        response.encoding = "utf-8"  # as events and JSON are: another one would hide what is counted
        response.stream = _BoundedStream(response, budget)

    async with _Client(
        headers={**(headers or {}), "Accept-Encoding": "identity"},
        auth=auth,
        timeout=httpx2.Timeout(limits.TIME_LIMIT, read=None if is_patient else limits.TIME_LIMIT),
        follow_redirects=True,
        max_redirects=_MAX_REDIRECTS,
        event_hooks={"response": [limit]},
    ) as client:
        yield client


class _Client(httpx2.AsyncClient):
    """Explains a 401 after `auth` has done what it can: the SDK reports most HTTP errors alike."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request. The body of a 401 is an error of JSON-RPC, which the SDK shows."""
        try:
            response = await super().send(request, **options)
        except httpx2.LocalProtocolError:
            # its text has the value of the header, which may be a secret
            raise httpx2.LocalProtocolError(_NOT_SENT, request=request) from None
        if response.status_code != 401:
            return response
        await response.aclose()
        body = {"jsonrpc": "2.0", "id": None, "error": {"code": _INTERNAL_ERROR, "message": _NOT_ACCEPTED}}
        return httpx2.Response(401, json=body, request=request)


class _BoundedStream(httpx2.AsyncByteStream):
    """The bytes of a response, until the budget is spent."""

    def __init__(self, response: httpx2.Response, budget: ByteBudget) -> None:
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError("the stream of an asynchronous response must be asynchronous")
        self._stream = response.stream
        self._budget = budget
        self._has_events = response.headers.get("content-type", "").startswith("text/event-stream")
        self._message: list[bytes] = []  # the beginning of an event, or of JSON
        self._line_ends = b""  # after it

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            # an event of a stream has two line ends or more
            lines = data.count(b"\n") + data.count(b"\r") if self._has_events else 0
            self._budget.spend(len(data), messages=lines // 2)
            self._check_values(data)
            yield data
        self._budget.check_values(b"".join(self._message))

    def _check_values(self, data: bytes) -> None:
        """Count the values of each event that ends in `data`. Raises SourceError."""
        *events, rest = _BLANK_LINE.split(self._line_ends + data) if self._has_events else [data]
        for event in events:
            self._budget.check_values(b"".join((*self._message, event)))
            self._message = []
        end = len(rest.rstrip(b"\r\n"))
        self._message.append(rest[:end])
        self._line_ends = rest[end:]

    async def aclose(self) -> None:
        await self._stream.aclose()


def _check_redirect(before: str, after: str) -> None:
    old, new = httpx2.URL(before), httpx2.URL(after)  # the default port of a scheme is None
    is_upgrade = old.port is None and (old.scheme, new.scheme) == ("http", "https")
    if (new.host, new.port) != (old.host, old.port) or not (new.scheme == old.scheme or is_upgrade):
        raise SourceError(
            f"{display_url(before)} redirects to another origin: {display_url(after)}",
            "import that URL, if it is the one that you mean",
        )


def display_url(url: str) -> str:
    """Return `url` for messages: without a user's name and password, in printable characters."""
    try:
        parts = urlsplit(url)
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    except ValueError:
        pass
    return printable(url)
