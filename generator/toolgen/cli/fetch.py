"""A document at a URL: fetched in time, and not without end."""

from __future__ import annotations

import time

from toolgen.disk import UnableError
from toolgen.importers.source import MAX_BYTES
from toolgen.importers.tool import SourceError

_SECONDS = 60.0


def fetch(url: str) -> bytes:
    """What is at `url`. Raises `SourceError` with what the server did."""
    try:
        import httpx2
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", "reading a URL needs httpx2", "pip install 'toolgen[http]', or give a file"
        ) from error
    until = time.monotonic() + _SECONDS
    data = bytearray()
    try:
        with httpx2.stream("GET", url, follow_redirects=True, timeout=_SECONDS) as response:
            if response.status_code != 200:
                raise SourceError(
                    f"{url}: the server answers {response.status_code}", "give the document's URL"
                )
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > MAX_BYTES or time.monotonic() > until:
                    raise SourceError(f"{url}: too long, or too slow: more than {len(data):,} bytes")
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceError(f"{url}: {str(error) or type(error).__name__}", "is the URL right?") from None
    return bytes(data)
