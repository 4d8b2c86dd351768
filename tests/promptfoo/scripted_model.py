"""A model behind the HTTP APIs of OpenAI and Anthropic that makes the calls of a script."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_server import QuietHandler, serve

Script = Mapping[str, Sequence[tuple[str, str]]]
"""What a user asks → the calls that the model makes: names, and arguments as the text that it writes."""


@dataclass
class ScriptedModel:
    """A running model. `requests` are the bodies that it was sent."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        """Return the variables by which clients find the model."""
        keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
        return {**keys, "OPENAI_BASE_URL": f"{self.url}/v1", "ANTHROPIC_BASE_URL": self.url}

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return the response to a request."""
        self.requests.append(body)
        calls = self.script.get(asked(body), ())
        if path.endswith("/chat/completions"):
            return _chat(calls)
        return _responses(calls) if path.endswith("/responses") else _messages(calls)


def asked(body: Mapping[str, Any]) -> str:
    """Return the text of the one message of a request."""
    (message,) = body.get("messages") or body["input"]
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _chat(calls: Sequence[tuple[str, str]]) -> dict[str, Any]:
    made = [
        {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for index, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": None if made else "I do not know.", "tool_calls": made or None}
    choice = {"index": 0, "finish_reason": "tool_calls" if made else "stop", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "chat", "object": "chat.completion", "created": 1, "model": "scripted"}
    return {**head, "choices": [choice], "usage": usage}


def _responses(calls: Sequence[tuple[str, str]]) -> dict[str, Any]:
    output: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "id": f"fc_{index}",
            "call_id": f"call_{index}",
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
        for index, (name, arguments) in enumerate(calls)
    ]
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    head = {"id": "resp", "object": "response", "created_at": 1, "model": "scripted", "status": "completed"}
    return {**head, "output": output, "usage": usage, "parallel_tool_calls": True, "tools": []}


def _messages(calls: Sequence[tuple[str, str]]) -> dict[str, Any]:
    content = [{"type": "text", "text": "I will."}] + [
        {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": json.loads(arguments)}
        for index, (name, arguments) in enumerate(calls)
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg", "type": "message", "role": "assistant", "model": "scripted", "stop_sequence": None}
    return {**head, "content": content, "stop_reason": "tool_use" if calls else "end_turn", "usage": usage}


@contextmanager
def scripted_model(script: Script) -> Iterator[ScriptedModel]:
    """Run a model on a loopback port."""
    model = ScriptedModel(script)

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            self.reply(model.answer(self.path, json.loads(self.received())))

    with serve(Handler) as model.url:
        yield model
