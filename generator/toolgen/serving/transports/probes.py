"""Answer what watches a server: probes (`/healthz`, `/readyz`) and scrapes of metrics (`/metrics`).

Probes are answered for any Host, before the guards, and tell a stranger one word. They call no tool and open
no connection: a probe that asks a database ends all replicas when the database is away. Metrics have a port
of their own, where the server's limits hold, too.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from toolgen.runtime.health import HEALTH
from toolgen.runtime.instrumentation.export import Exposition
from toolgen.runtime.own_threads import OwnThreads

from .body import Receive, Scope, Send

HEALTH_PATH: Final = "/healthz"
READY_PATH: Final = "/readyz"
PATHS: Final = frozenset({HEALTH_PATH, READY_PATH})
METRICS_PATH: Final = "/metrics"
_METHODS: Final = frozenset({"GET", "HEAD"})
_TEXT: Final = "text/plain; charset=utf-8"
_THREADS: Final = OwnThreads("metrics", 1)  # many tools have many lines: no call waits for them


def is_probe(scope: Scope) -> bool:
    """True for a request to one of PATHS, also below the path at which the application is mounted."""
    root, path = scope.get("root_path", ""), scope["path"]
    return scope["method"] in _METHODS and (path in PATHS or path.removeprefix(root) in PATHS)


async def answer_probe(
    scope: Scope, send: Send, *, why_not_ready: str | None, is_authenticated: Callable[[], Awaitable[bool]]
) -> None:
    """Answer a probe: 200 to `/healthz` while the event loop runs, 503 to `/readyz` while not ready.

    An authenticated caller gets JSON with the names of degraded parts; a server that has some is ready.
    """
    status, word = 200, "ok"
    if scope["path"].endswith(READY_PATH):
        status, word = (200, "ready") if why_not_ready is None else (503, why_not_ready)
    kind, body = _TEXT, f"{word}\n"
    if await is_authenticated():
        kind, body = "application/json", json.dumps({"status": word, "degraded": sorted(HEALTH.degraded)})
    headers = {"content-type": kind, "cache-control": "no-store"}
    await _answer(scope, send, status=status, headers=headers, body=body.encode())


@dataclass(frozen=True, slots=True)
class MetricsPort:
    """An ASGI application for the requests to the port of metrics."""

    port: int
    expose: Exposition

    def takes(self, scope: Scope) -> bool:
        """True for a request to the port."""
        return scope["type"] == "http" and (scope.get("server") or (None, None))[1] == self.port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        status, body, media_type = 404, b"not found\n", _TEXT
        if scope["path"] == METRICS_PATH and scope["method"] in _METHODS:
            accept = next((value for name, value in scope["headers"] if name == b"accept"), b"")
            body, media_type = await _THREADS.run(lambda: self.expose(accept.decode("latin-1")))
            status = 200
        await _answer(scope, send, status=status, headers={"content-type": media_type}, body=body)


async def _answer(scope: Scope, send: Send, *, status: int, headers: Mapping[str, str], body: bytes) -> None:
    named = {**headers, "content-length": str(len(body))}
    fields = [(name.encode(), value.encode()) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    shown = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": shown, "more_body": False})
