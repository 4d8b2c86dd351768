"""Fetch a document from a URL: within a time, up to a size, and from the host that was asked for."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from toolgen.importers.imported_tool import SourceError
from toolgen.importers.json_source import MAX_BYTES
from toolgen.project import UnableError

_SECONDS = 60.0
_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 5
_PORTS = {"http": 80, "https": 443}


def fetch(url: str) -> bytes:
    """Return what is at `url`. Raises `SourceError` with what the server did.

    Redirects are followed within one origin, and from http to https on the same host; any other host may
    answer with a document that nobody asked for, and is named instead.
    """
    try:
        import httpx2
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", "reading a URL needs httpx2", "pip install 'toolgen[http]', or give a file"
        ) from error
    try:
        return asyncio.run(_fetch_in_time(httpx2, url))
    except TimeoutError:
        raise SourceError(
            f"{shown(url)}: not there within {_SECONDS:g} seconds", "save the document, and give the file"
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceError(
            f"{shown(url)}: {str(error) or type(error).__name__}", "is the URL right?"
        ) from None


async def _fetch_in_time(httpx: Any, url: str) -> bytes:
    async with asyncio.timeout(_SECONDS), httpx.AsyncClient(timeout=_SECONDS) as client:
        for _ in range(_MAX_REDIRECTS + 1):
            async with client.stream("GET", url, follow_redirects=False) as response:
                location = response.headers.get("location")
                if response.status_code not in _REDIRECTS or not location:
                    return await _read(response, url)
            url = _followed(url, urljoin(url, location))
    raise SourceError(f"{shown(url)}: more than {_MAX_REDIRECTS} redirects", "give the document's URL")


async def _read(response: Any, url: str) -> bytes:
    if response.status_code != 200:
        raise SourceError(
            f"{shown(url)}: the server answers {response.status_code}", "give the document's URL"
        )
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > MAX_BYTES:
            raise SourceError(f"{shown(url)}: longer than {MAX_BYTES:,} bytes", "import a part of it")
    return bytes(data)


def _followed(url: str, onward: str) -> str:
    """`onward`, where a redirect from `url` may lead there. Raises `SourceError`."""
    before, after = _origin(url), _origin(onward)
    upgraded = ("https", before[1], 443) if before[0] == "http" and before[2] == 80 else before
    if after not in (before, upgraded):
        raise SourceError(
            f"{shown(url)} redirects to another place: {shown(onward)}",
            "import that URL, if it is the one that you mean",
        )
    return onward


def _origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of a URL; -1 for a port that is not a number."""
    parts = urlsplit(url)
    try:
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        port = -1
    return (parts.scheme, (parts.hostname or "").lower(), port)


def shown(url: str) -> str:
    """`url` as messages have it: without a user's name and password, in printable characters."""
    try:
        parts = urlsplit(url)
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    except ValueError:
        pass
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in url)
