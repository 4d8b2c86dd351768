"""The pages of approvals over HTTP: public, never in a frame, and answered for their own origin alone.

The addresses and statuses are those of docs/approval.md. Nothing is taken from a request's headers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from toolgen.base import KIB
from toolgen.runtime.approval.approvals import ApprovalError, Approvals
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.stores.store import StoreError

PATH: Final = "/approvals/"
MAX_BYTES: Final = 64 * KIB  # of a credential, which has a few hundred bytes
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
FILES: Final = {"page.css": "text/css"} | dict.fromkeys(
    ("common.js", "approval.js", "enrol.js"), "text/javascript"
)


async def page_file(request: Request) -> Response:
    """Return a file of the page: an approval by its id, any of which looks the same."""
    name = request.scope["path"].rpartition("/")[2]
    page = name if name in FILES else "enrol.html" if name == "enrol" else "approval.html"
    content = files(__package__).joinpath("page", page).read_bytes()
    return Response(content, 200, _HEADERS, FILES.get(page, "text/html"))


def with_files(*routes: Route) -> Starlette:
    """Return an application of the pages' files and `routes`."""
    found = [Route(f"{PATH}{name}", page_file, methods=["GET"]) for name in (*FILES, "enrol")]
    handlers: Any = {ApprovalError: _refuse, StoreError: _refuse}
    return Starlette(routes=[*found, *routes], exception_handlers=handlers)


def _json(content: Mapping[str, Any], status: int = 200) -> Response:
    return JSONResponse(content, status, _HEADERS)


def _refuse(request: Request, error: Exception) -> Response:
    if not isinstance(error, ApprovalError):
        LOGGER.error("an approval is refused: %s", error)
        error = ApprovalError(503, "The store of approvals does not answer.")
    state = {} if error.state is None else {"state": error.state}
    return _json({"error": str(error), **state}, error.status)


class ApprovalPages:
    """An ASGI application with the pages of approvals, and the page that makes a key."""

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals
        self._app = with_files(
            Route(f"{PATH}{{id}}/request", self._request, methods=["GET"]),
            Route(f"{PATH}{{id}}", self._post, methods=["POST"]),
            Route(f"{PATH}{{id}}", page_file, methods=["GET"]),
        )

    def is_for(self, scope: Scope) -> bool:
        """True for an HTTP request to a page of approvals, wherever the application is mounted."""
        below = self._below(scope)
        return bool(below["path"].removeprefix(below["root_path"]).startswith(PATH))

    def _below(self, scope: Scope) -> Scope:
        """Return a scope whose root path has the path of the approval URL, which a proxy may leave there."""
        prefix = urlsplit(self._approvals.url or "").path
        root: str = scope.get("root_path", "")
        is_left = bool(prefix) and scope["path"].startswith(f"{root}{prefix}{PATH}")
        return {**scope, "root_path": root + prefix if is_left else root}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        await self._app(self._below(scope), receive, send)

    async def _request(self, request: Request) -> Response:
        record = await self._approvals.get(request.path_params["id"])
        content, keys = record.content, self._approvals.keys_for(record)
        options = {
            "challenge": record.digest,
            "timeout": max(0, int((content["expires"] - time.time()) * 1000)),  # milliseconds
            "rpId": content["rp_id"],
            "allowCredentials": [{"type": "public-key", "id": each.id} for each in keys],
            "userVerification": "required",
        }
        shown = record.model_dump(include={"act", "title", "state", "done_before"})
        return _json({**shown, "digest": record.digest, "options": options, "approvers": record.people})

    async def _post(self, request: Request) -> Response:
        body = await read_body(request, self._approvals.origin)
        approval_id, credential = request.path_params["id"], body.get("credential")
        if body.get("declined") is True and len(body) == 1:
            record = await self._approvals.decline(approval_id)
        elif isinstance(credential, Mapping):
            record = await self._approvals.sign(approval_id, credential)
        else:
            raise ApprovalError(400, 'The body is neither {"credential": …} nor {"declined": true}.')
        return _json({"state": record.state, "approvers": record.people})


async def read_body(request: Request, origin: str) -> Mapping[str, Any]:
    """Return the JSON object of a request. Raises ApprovalError: 403 from another origin, 415, 400."""
    host = origin.partition("://")[2]
    if request.headers.getlist("origin") != [origin] or request.headers.getlist("host") != [host]:
        raise ApprovalError(403, f"Open the page at {origin}.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise ApprovalError(415, "The body must be application/json.")
    data = b""
    try:
        async for part in request.stream():
            data += part
            if len(data) > MAX_BYTES:
                raise ApprovalError(400, f"The body has more than {MAX_BYTES} bytes.")
        body = json.loads(data)
    except (ClientDisconnect, ValueError, RecursionError):
        body = None
    if not isinstance(body, Mapping):
        raise ApprovalError(400, "The body is no JSON object.")
    return body
