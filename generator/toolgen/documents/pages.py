"""The page beside the tools that it calls: its files, the catalogue, and news of changes, over HTTP."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from toolgen.documents.site import INDEX, bundle, data_script
from toolgen.schema.document import JsonObject
from toolgen.serving.auth.configuration import Authentication
from toolgen.serving.auth.token_file import TokenEntry, TokenFile

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
_TYPES: Final = {"html": "text/html", "js": "text/javascript", "css": "text/css", "txt": "text/plain"}
_KEEP_ALIVE: Final = 15  # seconds between comments of a stream, by which a browser that left is noticed


class DocsPages:
    """Answers a page's requests beside `/mcp`.

    The page's code is public; the catalogue and the news need the token that calls need.

    Args:
        calls: what is called, in words: "the mock".
        scopes: that a token of this process grants; None: tokens are configured, and users enter theirs.
        reloads: the page follows changes.
    """

    def __init__(self, calls: str, *, scopes: tuple[str, ...] | None, reloads: bool) -> None:
        self._token = None if scopes is None else secrets.token_urlsafe()
        self.authentication: Authentication | None = None
        if self._token is not None:
            verifier = TokenFile([TokenEntry(principal="page", token=self._token, scopes=list(scopes or ()))])
            self.authentication = Authentication(lambda: verifier)
        server = {"calls": calls, "token": self._token is None, "reloads": reloads}
        self._public = {**bundle(), "data.js": data_script({"server": server})}
        self._content = b"{}"
        self._version = 0
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self._stopped = False
        self._security = TransportSecurityMiddleware()

    def address(self, server: str) -> str:
        """Return the address of the page, with the token, which browsers do not send."""
        return f"{server}/" if self._token is None else f"{server}/#token={self._token}"

    def show(self, document: JsonObject, news: Mapping[str, Any]) -> None:
        """Show another catalogue, and what was found. Any thread may call it."""
        content = json.dumps({"catalogue": document, "news": news}).encode()
        with self._lock:
            if content == self._content:
                return
            self._content, self._version = content, self._version + 1
        self._wake()

    def prepare(self, security: TransportSecuritySettings) -> None:
        """Note which Host and Origin headers are accepted, in the event loop that serves."""
        self._security = TransportSecurityMiddleware(security)
        self._loop = asyncio.get_running_loop()

    def stop(self) -> None:
        """End the streams that are open."""
        self._stopped = True
        self._wake()

    def is_public(self, scope: Scope) -> bool:
        """True for a request for the page's own code, which is the same for every project."""
        return _name(scope) in self._public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        response = await self._security.validate_request(request) or self._response(request)
        response.headers.update(_HEADERS)
        await response(scope, receive, send)

    def _response(self, request: Request) -> Response:
        name = _name(request.scope)
        if request.method not in ("GET", "HEAD"):
            return Response("The page only answers GET.", HTTPStatus.METHOD_NOT_ALLOWED)
        if name in self._public:
            return Response(self._public[name], media_type=_TYPES[name.rpartition(".")[2]])
        if name == "catalogue.json":
            with self._lock:
                content, version = self._content, self._version
            return Response(content, headers={"etag": f'"{version}"'}, media_type="application/json")
        if name == "events":
            return StreamingResponse(self._events(), media_type="text/event-stream")
        return Response("There is no such page.", HTTPStatus.NOT_FOUND)

    async def _events(self) -> AsyncIterator[str]:
        """Yield an event for each change; a browser that comes back late gets one at once."""
        shown = self._version
        yield ": the page follows changes\n\n"
        while not self._stopped:
            changed = self._changed
            if shown != self._version:
                shown = self._version
                yield f"data: {shown}\n\n"
                continue
            try:
                await asyncio.wait_for(changed.wait(), _KEEP_ALIVE)
            except TimeoutError:
                yield ": still there\n\n"

    def _wake(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_streams)

    def _wake_streams(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def _name(scope: Scope) -> str:
    path: str = scope["path"]
    return INDEX if path == "/" else path.removeprefix("/")
