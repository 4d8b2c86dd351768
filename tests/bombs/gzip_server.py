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
            self.received()
            self.reply(body, content_type="application/json", content_encoding="gzip")

        do_GET = do_POST = answer

        def handle(self) -> None:
            with suppress(OSError):  # the client has disconnected
                super().handle()

    with serve(Handler) as url:
        yield f"{url}/mcp"
