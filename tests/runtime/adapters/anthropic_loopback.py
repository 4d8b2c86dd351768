"""A mock of Anthropic's API on loopback: calls the given tools, then answers with a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

from tests.http_server import QuietHandler, running

JsonObject = dict[str, Any]


class Loopback(ThreadingHTTPServer):
    """`calls` are (name, input), which are made by the first answer; received requests are in `seen`."""

    daemon_threads = True

    def __init__(self, calls: list[tuple[str, JsonObject]]) -> None:
        self.calls = calls
        self.seen: list[JsonObject] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def reply(self, body: JsonObject) -> JsonObject:
        """Return the response of the API."""
        blocks: list[JsonObject] = [{"type": "text", "text": "done" if self.seen else "let me see"}]
        if not self.seen:
            blocks += [
                {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": given}
                for i, (name, given) in enumerate(self.calls)
            ]
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": blocks,
            "stop_reason": "end_turn" if self.seen else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


class _Handler(QuietHandler):
    server: Loopback

    def do_POST(self) -> None:
        body = json.loads(self.received())
        answer = self.server.reply(body)
        self.server.seen.append(body)
        self.reply(answer)


@contextmanager
def loopback(calls: list[tuple[str, JsonObject]], provider: type[Loopback] = Loopback) -> Iterator[Loopback]:
    """Run a mock server, for Anthropic or the given provider."""
    server = provider(calls)
    with running(server):
        yield server
