"""A server with one gzipped answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.http_server import QuietHandler, serve


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """Run a server that answers every request with this gzipped body; yield its URL."""

    class Handler(QuietHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def handle(self) -> None:
            with suppress(OSError):  # the client has disconnected
                super().handle()

    with serve(Handler) as url:
        yield f"{url}/mcp"
