"""Answer scrapes at `/metrics` on a port of their own. The server's limits hold there, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolgen.runtime.instrumentation.export import Exposition
from toolgen.runtime.own_threads import OwnThreads

from .body import Receive, Scope, Send

METRICS_PATH: Final = "/metrics"
_THREADS: Final = OwnThreads("metrics", 1)  # many tools have many lines: no call waits for them


@dataclass(frozen=True, slots=True)
class MetricsPort:
    """An ASGI application for the requests to one port."""

    port: int
    expose: Exposition

    def takes(self, scope: Scope) -> bool:
        """True for a request to the port."""
        return scope["type"] == "http" and (scope.get("server") or (None, None))[1] == self.port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        status, body, media_type = 404, b"not found\n", "text/plain; charset=utf-8"
        if scope["path"] == METRICS_PATH and scope["method"] in ("GET", "HEAD"):
            accept = next((value for name, value in scope["headers"] if name == b"accept"), b"")
            body, media_type = await _THREADS.run(lambda: self.expose(accept.decode("latin-1")))
            status = 200
        headers = {"content-type": media_type, "content-length": str(len(body))}
        fields = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": fields})
        shown = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": shown, "more_body": False})
