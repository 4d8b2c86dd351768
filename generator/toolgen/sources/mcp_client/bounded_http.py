"""HTTP with limits: bytes are counted, redirects stay within the origin, nothing is decompressed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx2

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import quoted
from toolgen.runtime.http.client import MAX_REDIRECTS
from toolgen.schema.budget import BUDGET
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.limits import ByteBudget

MAX_BYTES = BUDGET.import_bytes
_SAME_METHOD = (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT)
_NOT_SENT = "the request cannot be sent: is there a line end in one of its headers?"
_EVENT_END = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")  # a line end, and a blank line


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
            f"{shown}: more than {MAX_REDIRECTS} redirects", "give the document's URL"
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceError(f"{shown}: {str(error) or type(error).__name__}", "is the URL right?") from None


async def _fetch(url: str) -> bytes:
    budget = ByteBudget(display_url(url), MAX_BYTES, values=MAX_BYTES)  # which need not be JSON
    async with asyncio.timeout(limits.TIME_LIMIT), bounded_client(url, budget) as client:
        response = await client.get(url, headers={"Accept-Encoding": "gzip"})
        if response.status_code != HTTPStatus.OK:
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
    kind: Callable[..., BoundedClient] | None = None,
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client for `url` whose responses have no more bytes together than the budget.

    With `is_patient`, any time may pass between two parts of a response. It is a `kind` of client.
    It follows redirects within the origin, and from http to https on the same host. Any other host might
    answer with something that nobody asked for, so such a redirect raises `SourceError`, which names it.
    """

    async def limit(response: httpx2.Response) -> None:
        if response.has_redirect_location:
            before = str(response.request.url)
            _check_redirect(before, urljoin(before, response.headers["location"]))
            # httpx2 would follow the others with a GET
            if response.request.method == "POST" and response.status_code not in _SAME_METHOD:
                raise RedirectError(f"HTTP {response.status_code}: a redirect that loses the request")
        # without the header, httpx2 does not decompress: whoever asked for gzip does, within a limit
        encoding = response.headers.pop("Content-Encoding", "identity").strip().lower()
        if encoding not in ("", "identity", response.request.headers["Accept-Encoding"]):
            raise SourceError(f"{budget.name}: a Content-Encoding that nobody asked for: {quoted(encoding)}")
        response.encoding = "utf-8"  # as events and JSON are: another one would hide what is counted
        response.stream = BoundedStream(response, budget)

    async with (kind or BoundedClient)(
        headers={**(headers or {}), "Accept-Encoding": "identity"},
        auth=auth,
        timeout=httpx2.Timeout(limits.TIME_LIMIT, read=None if is_patient else limits.TIME_LIMIT),
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        event_hooks={"response": [limit]},
    ) as client:
        yield client


class RedirectError(SourceError):
    """A redirect that is not followed."""


class BoundedClient(httpx2.AsyncClient):
    """Sends requests, and keeps their headers out of errors."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request."""
        try:
            return await super().send(request, **options)
        except httpx2.LocalProtocolError:
            # its text has the value of the header, which may be a secret
            raise httpx2.LocalProtocolError(_NOT_SENT, request=request) from None


class BoundedStream(httpx2.AsyncByteStream):
    """The bytes of a response, until the budget is spent. Those of events come in whole events."""

    def __init__(self, response: httpx2.Response, budget: ByteBudget) -> None:
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError("the stream of an asynchronous response must be asynchronous")
        self._stream = response.stream
        self._budget = budget
        self._has_events = has_events(response)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held, parts = bytearray(), list[bytes]()  # the beginning of an event; the body, if it has none
        async for data in self._stream:
            # an event of a stream has two line ends or more
            lines = data.count(b"\n") + data.count(b"\r") if self._has_events else 0
            self._budget.spend(len(data), messages=lines // 2)
            if not self._has_events:
                parts.append(data)
                yield data
                continue
            start, end = max(0, len(held) - 3), 0  # an end may have begun before
            held += data
            for found in _EVENT_END.finditer(held, start):
                event, end = bytes(memoryview(held)[end : found.end()]), found.end()
                self._budget.check_values(event)
                yield event
            held = held[end:]
        self._budget.check_values(b"".join((*parts, held)))

    async def aclose(self) -> None:
        await self._stream.aclose()


def has_events(response: httpx2.Response) -> bool:
    """True if a response is a stream of events."""
    kind: str = response.headers.get("content-type", "").lower()
    return response.is_success and kind.startswith("text/event-stream")


def _check_redirect(before: str, after: str) -> None:
    old, new = httpx2.URL(before), httpx2.URL(after)  # the default port of a scheme is None
    is_upgrade = old.port is None and (old.scheme, new.scheme) == ("http", "https")
    if (new.host, new.port) != (old.host, old.port) or not (new.scheme == old.scheme or is_upgrade):
        raise RedirectError(
            f"{display_url(before)} redirects to another origin: {display_url(after)}",
            "import that URL, if it is the one that you mean",
        )


def display_url(url: str) -> str:
    """Return `url` for messages: without user, password and query, which may be secrets; printable."""
    try:
        parts = urlsplit(url)
        query = "…" if parts.query else ""
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query))
    except ValueError:
        pass
    return printable(url)
