"""HTTP servers that tests run in a thread, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any


class QuietHandler(BaseHTTPRequestHandler):
    """A request handler that does not log to stderr."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""

    def received(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def reply(self, body: Any, status: int = 200, **headers: str) -> None:
        """Answer with bytes, or with anything else as JSON; further headers have `_` for `-`."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {} if isinstance(body, bytes) else {"content-type": "application/json"}
        self.send_response(status)
        for name, value in {**kind, **headers, "content-length": str(len(content))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)


def mcp_response(message: Any, **results: Any) -> dict[str, Any]:
    """Return the response of a server of MCP 2025-11-25 to a request; `results` by method, with `_` for `/`."""
    started = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "shop", "version": "1"},
    }
    result = {"initialize": started, **results}.get(message["method"].replace("/", "_"))
    error = {"error": {"code": -32601, "message": "Method not found"}}
    return {"jsonrpc": "2.0", "id": message["id"], **(error if result is None else {"result": result})}


class McpHandler(QuietHandler):
    """A server of MCP 2025-11-25 without sessions; subclasses answer the requests."""

    def do_POST(self) -> None:
        message = json.loads(self.received())
        if "id" in message:
            self.answer(message)
        else:
            self.reply(b"", 202)

    def answer(self, message: Any) -> None:
        """Answer a request."""
        self.reply(mcp_response(message))

    def do_GET(self) -> None:
        self.reply(b"", 405)

    do_DELETE = do_GET


@contextmanager
def running(server: HTTPServer) -> Iterator[None]:
    """Run a server in a thread; stop and close it afterwards."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serve(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a threading server with this handler on a free port; yield its URL without a path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"
