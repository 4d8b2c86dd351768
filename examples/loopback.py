"""A mock of OpenAI's API on loopback: it answers every chat with one tool call, and then with a text.

The real `openai` client talks to it over HTTP, so only the model is simulated.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Model(ThreadingHTTPServer):
    """A model that always calls the tool `name` with `arguments`."""

    daemon_threads = True

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.name = name
        self.arguments = arguments

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the assistant's message for a chat completion request."""
        if any(message["role"] == "tool" for message in request["messages"]):
            return {"role": "assistant", "content": "Thank you, that is what I needed.", "refusal": None}
        function = next(
            tool["function"] for tool in request["tools"] if tool["function"]["name"] == self.name
        )
        arguments = dict(self.arguments)
        if function.get("strict"):  # in strict mode, a model sends every property, null for absent ones
            arguments = dict.fromkeys(function["parameters"]["properties"]) | arguments
        call = {"name": self.name, "arguments": json.dumps(arguments)}
        calls = [{"id": "call_1", "type": "function", "function": call}]
        return {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert isinstance(self.server, _Model)
        message = self.server.reply(request)
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "finish_reason": reason, "message": message, "logprobs": None}
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [choice],
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Log nothing."""


@contextmanager
def model_that_calls(name: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Run an API whose model calls the tool `name` with `arguments`; yield its base URL."""
    with _Model(name, arguments) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()
