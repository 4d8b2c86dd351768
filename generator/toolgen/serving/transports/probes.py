"""Answer the probes of what watches a server: `/healthz` and `/readyz`.

Probes are answered for any Host, before the guards, and tell a stranger one word. They call no tool and open
no connection: a probe that asks a database ends all replicas when the database is away.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Final

from toolgen.runtime.health import HEALTH

from .body import Scope, Send

HEALTH_PATH: Final = "/healthz"
READY_PATH: Final = "/readyz"
PATHS: Final = frozenset({HEALTH_PATH, READY_PATH})
_METHODS: Final = frozenset({"GET", "HEAD"})
_TEXT: Final = "text/plain; charset=utf-8"


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
    headers = {"content-type": kind, "cache-control": "no-store", "content-length": str(len(body))}
    fields = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    shown = b"" if scope["method"] == "HEAD" else body.encode()
    await send({"type": "http.response.body", "body": shown, "more_body": False})
