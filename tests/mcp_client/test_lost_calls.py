"""A call whose server is lost: `outcome_unknown` if it had been sent, a failure to connect if not."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from toolgen.project import UnableError
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import call_server

from tests.http_server import QuietHandler, serve


class _Server(QuietHandler):
    """A server of protocol 2025-11-25, which answers calls with an HTTP status, or not at all for 0."""

    status: int

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if message["method"] == "initialize":
            result: Any = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "shop", "version": "1"},
            }
            self._send(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif message["method"] == "tools/call":
            if self.status:
                self._send(self.status, None)
            self.close_connection = True
        elif "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            self._send(404, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            self._send(202, None)

    def do_GET(self) -> None:
        self._send(405, None)

    do_DELETE = do_GET

    def _send(self, status: int, message: Any) -> None:
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def answering(status: int) -> type[BaseHTTPRequestHandler]:
    return type("Server", (_Server,), {"status": status})


@pytest.mark.parametrize("status", [0, 502, 504], ids=["dropped", "502", "504"])
def test_the_outcome_of_a_call_is_unknown_if_its_connection_ends(status: int) -> None:
    with serve(answering(status)) as url:
        answer = call_server(ServerAddress.parse(f"{url}/mcp"), "pay", {}, None)

    assert answer.result is None
    assert answer.refusal == "outcome_unknown"
    assert "may have been done" in answer.message


def test_a_server_that_refuses_has_done_nothing() -> None:
    with serve(answering(503)) as url:
        answer = call_server(ServerAddress.parse(f"{url}/mcp"), "pay", {}, None)

    assert answer.refusal == "JSON-RPC error -32603"


def test_without_a_connection_nothing_was_sent() -> None:
    with pytest.raises(UnableError):
        call_server(ServerAddress.parse("http://127.0.0.1:9/mcp"), "pay", {}, None)
