"""One request sent and one reply read, by httpx2, which is imported when the first one is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from toolgen.runtime.errors import MissingDependencyError

from .request import Prepared
from .request import origin_of as _origin

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 20 * 1024 * 1024  # of a reply, unpacked
_CONNECT = 10.0  # seconds until there is a connection
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5

_OURS: ContextVar[bool] = ContextVar("toolgen_http_call", default=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    reason: str
    headers: Mapping[str, str]  # names in lower case
    content: bytes


@dataclass(slots=True)
class _Shared:
    """The client of one event loop, and how many calls are under way with it."""

    client: httpx2.AsyncClient
    calls: int = 0


_SHARED: dict[asyncio.AbstractEventLoop, _Shared] = {}


class UnreachableError(Exception):
    """No reply: the text says why, and nothing of the request."""


class SlowError(Exception):
    """No reply in time."""


async def send(request: Prepared, seconds: float) -> Reply:
    """Send `request` and read the whole reply, all within `seconds`. Raises UnreachableError or SlowError.

    Redirects are followed for GET and HEAD only, and within one origin: what a request carries is for the
    host that it was made for.
    """
    try:
        async with asyncio.timeout(seconds):  # the client's own limits are for one read: a reply may drip
            return await _send(request, seconds)
    except TimeoutError:
        raise SlowError(_slow(request.url, seconds)) from None


async def _send(request: Prepared, seconds: float) -> Reply:
    httpx = _httpx()
    shared = _shared(httpx)
    shared.calls += 1
    url, parts = request.full_url(), request.parts
    token = _OURS.set(True)
    try:
        for _ in range(_MOST_REDIRECTS + 1):
            async with shared.client.stream(
                request.method,
                url,
                headers=[(name.encode(), value.encode()) for name, value in request.all_headers().items()],
                content=request.content,
                files=parts,
                timeout=httpx.Timeout(seconds, connect=min(_CONNECT, seconds)),
            ) as response:
                onward = _onward(request.method, url, response)
                if not onward:
                    return await _read(response)
                url = onward
    except httpx.TimeoutException:
        raise SlowError(_slow(url, seconds)) from None
    except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
        raise UnreachableError(f"{_origin(url)} cannot be reached: {_why(error)}") from None
    finally:
        shared.calls -= 1
        _OURS.reset(token)
    raise UnreachableError(f"{_origin(url)} redirects more than {_MOST_REDIRECTS} times")


async def close_client() -> None:
    """Close the connections of this event loop, unless they are in use; the next call opens new ones."""
    loop = asyncio.get_running_loop()
    shared = _SHARED.get(loop)
    if shared is not None and not shared.calls:
        del _SHARED[loop]
        await shared.client.aclose()


def _httpx() -> Any:
    try:
        import httpx2
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "Calling an HTTP API needs httpx2: pip install 'toolgen[http]'.", details={"name": "httpx2"}
        ) from error
    return httpx2


def _shared(httpx: Any) -> _Shared:
    """What all tools of this event loop share: connections are kept between calls."""
    loop = asyncio.get_running_loop()
    for gone in [each for each in _SHARED if each.is_closed()]:
        del _SHARED[gone]
    if loop not in _SHARED:
        logger = logging.getLogger("httpx2")
        if _without_query not in logger.filters:
            logger.addFilter(_without_query)
        _SHARED[loop] = _Shared(httpx.AsyncClient(follow_redirects=False, cookies=_no_cookies()))
    return _SHARED[loop]


def _no_cookies() -> Any:
    """A jar that keeps nothing: what an API sets for one caller is not for the next one."""
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


def _without_query(record: logging.LogRecord) -> bool:
    """httpx2 logs URLs, and queries may hold secrets: those of our calls are logged without."""
    if _OURS.get() and isinstance(record.args, tuple):
        record.args = tuple(
            str(each).partition("?")[0] if type(each).__name__ == "URL" else each for each in record.args
        )
    return True


def _onward(method: str, url: str, response: httpx2.Response) -> str:
    """Where a redirect leads that is followed; empty for any other reply."""
    location = response.headers.get("location")
    if response.status_code not in _REDIRECTS or not location or method not in ("GET", "HEAD"):
        return ""
    onward = urljoin(url, location)
    return onward if _origin(onward) == _origin(url) else ""


async def _read(response: httpx2.Response) -> Reply:
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MOST_BYTES:
            raise UnreachableError(
                f"{_origin(str(response.url))} answers with more than {MOST_BYTES // 1024 // 1024} MB"
            )
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, response.reason_phrase, headers, bytes(content))


def _slow(url: str, seconds: float) -> str:
    return f"{_origin(url)} did not answer within {seconds:g} seconds"


def _why(error: Exception) -> str:
    """The kind of failure in words: texts of exceptions may hold what was sent."""
    words = {
        "ConnectError": "no connection",
        "InvalidURL": "the URL is not valid",
        "UnsupportedProtocol": "the URL is not valid",
        "DecodingError": "the reply cannot be unpacked",
        "RemoteProtocolError": "the reply is not HTTP",
        "ProxyError": "the proxy refuses",
    }
    return words.get(type(error).__name__, "the connection broke")
