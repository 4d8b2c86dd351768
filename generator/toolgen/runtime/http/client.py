"""Send a request and read its reply with httpx2, which is imported for the first request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from toolgen.base import MIB
from toolgen.runtime.errors import MissingDependencyError, ToolTimeoutError, UnreachableError

from .request import PreparedRequest
from .request import origin_of as _origin

if TYPE_CHECKING:
    import httpx2  # of the extra `http`

MAX_BYTES = 20 * MIB  # of a reply, decompressed
MAX_REDIRECTS = 5  # one after another; browsers follow 20

_IN_CALL: ContextVar[bool] = ContextVar("toolgen_http_call", default=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request."""

    status: int
    reason: str
    headers: Mapping[str, str]  # names in lower case
    content: bytes


@dataclass(slots=True)
class _Shared:
    """The client of one event loop, and the number of calls that use it."""

    client: httpx2.AsyncClient
    calls: int = 0


_SHARED: dict[asyncio.AbstractEventLoop, _Shared] = {}


async def send(request: PreparedRequest, seconds: float) -> Reply:
    """Send `request` and read the whole reply within `seconds`.

    Raises UnreachableError or ToolTimeoutError. Redirects are only followed for GET and HEAD and within one
    origin, so that credentials are sent to no other host.
    """
    try:
        async with asyncio.timeout(seconds):  # the client's own time limits only apply to each read
            return await _send(request)
    except TimeoutError:
        raise ToolTimeoutError(f"{_origin(request.url)} did not answer within {seconds:g} seconds.") from None


async def _send(request: PreparedRequest) -> Reply:
    httpx = _httpx()
    shared = _shared(httpx)
    shared.calls += 1
    url, parts = request.full_url(), request.parts
    token = _IN_CALL.set(True)
    try:
        for _ in range(MAX_REDIRECTS + 1):
            async with shared.client.stream(
                request.method,
                url,
                headers=[(name.encode(), value.encode()) for name, value in request.all_headers().items()],
                content=request.content,
                files=parts,
            ) as response:
                target = _redirect_target(request.method, url, response)
                if not target:
                    return await _read(response)
                url = target
    except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
        raise UnreachableError(f"{_origin(url)} cannot be reached: {_reason(error)}.") from None
    finally:
        shared.calls -= 1
        _IN_CALL.reset(token)
    raise UnreachableError(f"{_origin(url)} redirects more than {MAX_REDIRECTS} times.")


async def close_client() -> None:
    """Close the connections of this event loop if they are not in use. The next call opens new ones."""
    loop = asyncio.get_running_loop()
    shared = _SHARED.get(loop)
    if shared is not None and not shared.calls:
        del _SHARED[loop]
        await shared.client.aclose()


def _httpx() -> Any:
    try:
        import httpx2  # of the extra `http`
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "Calling an HTTP API needs httpx2: pip install 'toolgen[http]'.", details={"name": "httpx2"}
        ) from error
    return httpx2


def _shared(httpx: Any) -> _Shared:
    """Return the client that all tools of this event loop share, so that connections are reused."""
    loop = asyncio.get_running_loop()
    # a closed event loop cannot close its client; without this, each `asyncio.run` would leave one
    for closed in [each for each in _SHARED if each.is_closed()]:
        del _SHARED[closed]
    if loop not in _SHARED:
        logging.getLogger("httpx2").addFilter(_is_of_others)  # a filter is added once
        from http.cookiejar import CookieJar, DefaultCookiePolicy  # 12 ms, with the first request

        # cookies of one caller must not reach another
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        client = httpx.AsyncClient(cookies=no_cookies, headers={"accept-encoding": "gzip"}, timeout=None)
        _SHARED[loop] = _Shared(client)
    return _SHARED[loop]


def _is_of_others(record: logging.LogRecord) -> bool:
    """Drop httpx2's records of these calls: their URLs may contain secrets."""
    return not _IN_CALL.get()


def _redirect_target(method: str, url: str, response: httpx2.Response) -> str:
    """Return the target of a redirect that is followed; an empty string for any other reply."""
    if not response.has_redirect_location or method not in ("GET", "HEAD"):
        return ""
    target = urljoin(url, response.headers["location"])
    # RFC 9110, section 15.4: credentials must not go to another origin
    return target if _origin(target) == _origin(url) else ""


async def _read(response: httpx2.Response) -> Reply:
    """Read a reply, unpacked. The event loop is free between chunks, so that the time limit can end it."""
    origin, encoding = _origin(str(response.url)), response.headers.get("content-encoding", "")
    # httpx2 would unpack as many layers as the reply names
    if encoding.strip().lower() not in ("", "identity", "gzip"):
        raise UnreachableError(f"{origin} answers with a compression other than gzip.")
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise UnreachableError(f"{origin} answers with more than {MAX_BYTES // MIB} MB.")
        await asyncio.sleep(0)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, response.reason_phrase, headers, bytes(content))


def _reason(error: Exception) -> str:
    """Describe the kind of failure, without the exception's message, which may contain the request."""
    reasons = {
        "ConnectError": "no connection",
        "DecodingError": "the reply cannot be unpacked",
        "InvalidURL": "the URL is not valid",
        "LocalProtocolError": "HTTP has no such request",
        "UnsupportedProtocol": "the URL is not valid",
        "RemoteProtocolError": "the reply is not HTTP",
        "ProxyError": "the proxy refuses",
    }
    return reasons.get(type(error).__name__, "the connection broke")
