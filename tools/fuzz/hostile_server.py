"""An MCP server over stdio or HTTP that misbehaves in one way: `python -m … BEHAVIOUR`."""

from __future__ import annotations

import gzip
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = Any
_ANSI = "\x1b[2J\x1b]0;owned\x07\u202e\r\x9b31m"
_FLOOD = 200_000_000  # bytes; more than any import reads
_DEEP = 100_000


def _tool(**more: Json) -> Json:
    return {"name": "a", "description": "x", "inputSchema": {"type": "object"}, **more}


def _page(*tools: Json, **more: Json) -> Json:
    return {"tools": list(tools), **more}


_RESULTS: dict[str, Callable[[], Json]] = {
    "ansi_everywhere": lambda: _page(
        _tool(name=_ANSI, title=_ANSI, description=_ANSI, inputSchema={"type": _ANSI})
    ),
    "ansi_in_a_schema": lambda: _page(
        _tool(inputSchema={"type": "object", _ANSI: _ANSI, "properties": {_ANSI: {"pattern": _ANSI + "("}}})
    ),
    "endless_cursor": lambda: _page(
        _tool(name=f"t{time.monotonic_ns()}"), nextCursor=str(time.monotonic_ns())
    ),
    "same_cursor": lambda: _page(nextCursor="again"),
    "wrong_type_of_tools": lambda: {"tools": "many"},
    "tools_of_wrong_types": lambda: _page(1, None, [], "x", {"name": {}}, {"name": 1, "inputSchema": 7}),
    "no_tools": lambda: {},
    "huge_numbers": lambda: _page(
        _tool(inputSchema={"type": "object", "minProperties": 10**4000, "maxProperties": -1e308})
    ),
    "same_name": lambda: _page(*[_tool() for _ in range(50)]),
    "no_name": lambda: _page(
        _tool(name=""), _tool(name=" " * 300), _tool(name="../../x"), _tool(name="\x00")
    ),
    "foreign_references": lambda: _page(
        _tool(inputSchema={"type": "object", "$ref": "file:///etc/passwd", "$schema": "http://127.0.0.1:9/"})
    ),
    "many_tools": lambda: _page(*[_tool(name=f"t{n}") for n in range(12_000)]),
    "surrogates": lambda: _page(_tool(description="\ud800", title="\udfff")),
    "result_is_null": lambda: None,
}


def _raw(request: Json, body: str) -> bytes:
    return f'{{"jsonrpc": "2.0", "id": {json.dumps(request.get("id"))}, "result": {body}}}\n'.encode()


_BODIES: dict[str, Callable[[Json], bytes]] = {
    "deep_json": lambda request: _raw(request, '{"tools":' * _DEEP + "1" + "}" * _DEEP),
    "duplicate_keys": lambda request: _raw(
        request, '{"tools": [], "tools": [{"name": "a", "name": "b", "inputSchema": {}}]}'
    ),
    "huge_integer": lambda request: _raw(
        request, '{"tools": [{"name": "a", "inputSchema": {"minimum": ' + "9" * 100_000 + "}}]}"
    ),
    "not_a_number": lambda request: _raw(
        request, '{"tools": [{"name": "a", "inputSchema": {"minimum": NaN, "maximum": Infinity}}]}'
    ),
    "no_json": lambda request: _ANSI.encode() + b"\x00\xff\n",
    "error_with_ansi": lambda request: (
        json.dumps(
            {"jsonrpc": "2.0", "id": request.get("id"), "error": {"code": -1, "message": _ANSI}}
        ).encode()
        + b"\n"
    ),
    "wrong_id": lambda request: _raw({"id": 10**30}, "{}"),
    "batch": lambda request: b"[" + _raw(request, "{}").strip() + b"]\n",
    "empty": lambda request: b"\n",
}
_STREAMS = ("drip", "flood", "flood_of_lines", "hang", "leave")
_HTTP_ONLY = (
    "gzip_bomb",
    "redirect_loop",
    "redirect_elsewhere",
    "redirect_to_a_file",
    "endless_headers",
    "status_with_ansi",
    "odd_encoding",
)
BEHAVIOURS = (*_RESULTS, *_BODIES, *_STREAMS, *_HTTP_ONLY)


def answer(behaviour: str, request: Json) -> bytes:
    """Return the bytes of an answer that is not endless."""
    if request.get("method") == "initialize":
        version = request.get("params", {}).get("protocolVersion", "2025-11-25")
        capabilities = {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": _ANSI, "version": "1"},
        }
        return _raw(request, json.dumps(capabilities))
    if "id" not in request:
        return b""
    if request.get("method") not in ("tools/list", None):
        error = {"code": -32601, "message": _ANSI}
        return json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode() + b"\n"
    if behaviour in _RESULTS:
        return _raw(request, json.dumps(_RESULTS[behaviour]()))
    return _BODIES.get(behaviour, _BODIES["empty"])(request)


def endless(behaviour: str) -> Iterator[bytes]:
    """Yield pieces of an answer that is too slow or too large."""
    if behaviour == "drip":
        for _ in range(600):
            yield b" "
            time.sleep(1)
    elif behaviour in ("flood", "flood_of_lines"):
        piece = b"x" * 65_536 if behaviour == "flood" else b'{"jsonrpc": "2.0", "method": "x"}\n' * 2_000
        for _ in range(_FLOOD // len(piece)):
            yield piece
    elif behaviour == "hang":
        time.sleep(600)


def serve_stdio(behaviour: str) -> None:
    """Answer the lines on stdin; stderr is noise."""
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        sys.stderr.write(_ANSI * 100)
        sys.stderr.flush()
        request = json.loads(line)
        out.write(answer(behaviour, request))
        if request.get("method") == "tools/list":
            for piece in endless(behaviour):
                out.write(piece)
                out.flush()
            if behaviour == "leave":
                return
        out.flush()


class _Handler(BaseHTTPRequestHandler):
    behaviour = ""

    def handle(self) -> None:
        with suppress(OSError):  # the client has disconnected
            super().handle()

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(json.loads(body))

    def do_GET(self) -> None:
        self._answer({"id": 1})

    def do_DELETE(self) -> None:
        self._send(200, b"")

    def _answer(self, request: Json) -> None:
        if request.get("method") == "initialize" or "id" not in request:
            self._send(200 if "id" in request else 202, answer(self.behaviour, request))
        elif self.behaviour in _HTTP_ONLY:
            getattr(self, self.behaviour)()
        elif self.behaviour in _STREAMS:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            for piece in endless(self.behaviour):
                self.wfile.write(piece)
        else:
            self._send(200, answer(self.behaviour, request))

    def _send(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def gzip_bomb(self) -> None:
        self._send(200, _bomb(), Content_Encoding="gzip")

    def odd_encoding(self) -> None:
        self._send(200, b"x", Content_Encoding=_ANSI.encode().decode("latin-1").replace("\r", ""))

    def redirect_loop(self) -> None:
        self._send(302, b"", Location=self.path)

    def redirect_elsewhere(self) -> None:
        self._send(307, b"", Location="http://127.0.0.2:9/\x1b[2J")

    def redirect_to_a_file(self) -> None:
        self._send(302, b"", Location="file:///etc/passwd")

    def status_with_ansi(self) -> None:
        self.wfile.write(b"HTTP/1.1 500 \x1b[2J\x1b]0;x\x07\r\nContent-Length: 0\r\n\r\n")

    def endless_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(600):
            self.wfile.write(b"X-%d: x\r\n" % number)
            time.sleep(1)


@lru_cache
def _bomb() -> bytes:
    return gzip.compress(b" " * 300_000_000, 1)


@contextmanager
def hostile_http(behaviour: str) -> Iterator[str]:
    """Run a server with this behaviour; yield its URL."""
    handler = type("Handler", (_Handler,), {"behaviour": behaviour})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        server.socket.close()


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        serve_stdio(sys.argv[1])
