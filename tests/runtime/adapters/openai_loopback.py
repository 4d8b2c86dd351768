"""A mock of OpenAI's API on loopback: makes the given tool calls, then answers with a text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

from tests.http_server import QuietHandler, running

JsonObject = dict[str, Any]


class Loopback(ThreadingHTTPServer):
    """`calls` are (name, arguments text); received requests are in `seen`."""

    daemon_threads = True

    def __init__(self, calls: list[tuple[str, str]], caller: JsonObject | None = None) -> None:
        self.calls = calls
        self.caller = {} if caller is None else {"caller": caller}  # of the calls of functions
        self.seen: list[JsonObject] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reply(self, path: str, body: JsonObject) -> JsonObject:
        """Return the response of the API."""
        self.seen.append(body)
        return self._chat(body) if path.endswith("/chat/completions") else self._responses(body)

    def _chat(self, body: JsonObject) -> JsonObject:
        done = any(message["role"] == "tool" for message in body["messages"])
        message: JsonObject = {"role": "assistant", "content": "done" if done else None, "refusal": None}
        if not done:
            message["tool_calls"] = [
                {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": text}}
                for i, (name, text) in enumerate(self.calls)
            ]
        choice = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}

    def _responses(self, body: JsonObject) -> JsonObject:
        done = any(item.get("type") == "function_call_output" for item in body["input"])
        text = {"type": "output_text", "text": "done", "annotations": []}
        output: list[JsonObject] = [
            {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
        ]
        if not done:
            output = [{"type": "reasoning", "id": "r", "summary": []}] + [
                {
                    "type": "function_call",
                    "id": f"fc_{i}",
                    "call_id": f"call_{i}",
                    "name": name,
                    "arguments": arguments,
                    "status": "completed",
                    **self.caller,
                }
                for i, (name, arguments) in enumerate(self.calls)
            ]
        return {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "completed",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": body["tools"],
        }


class _Handler(QuietHandler):
    server: Loopback
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.reply(self.server.reply(self.path, json.loads(self.received())))


@contextmanager
def loopback(calls: list[tuple[str, str]], caller: JsonObject | None = None) -> Iterator[Loopback]:
    """Run a mock server."""
    server = Loopback(calls, caller)
    with running(server):
        yield server
