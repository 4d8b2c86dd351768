"""One call in the form of each provider's API, and the text of its answer."""

from __future__ import annotations

import json
from typing import Any

from toolgen.runtime.contract.result import as_text


def provider_calls(name: str, arguments: Any = None) -> dict[str, dict[str, Any]]:
    """Return a call of a tool for each API, whose adapter is the first word of the API's name."""
    given = arguments or {}
    function = {"name": name, "arguments": json.dumps(given)}
    return {
        "openai chat": {"id": "1", "type": "function", "function": function},
        "openai responses": {"type": "function_call", "call_id": "1", **function},
        "anthropic": {"type": "tool_use", "id": "1", "name": name, "input": given},
        "bedrock": {"toolUse": {"toolUseId": "1", "name": name, "input": given}},
        "gemini": {"name": name, "args": given},
    }


def answer_text(message: dict[str, Any]) -> str:
    """Return the text of an answer for any API."""
    if "function_response" in message:
        response = message["function_response"]["response"]
        return str(response["error"]) if "error" in response else as_text(response["output"])
    content = message["toolResult"]["content"] if "toolResult" in message else message.get("content")
    text: str = message["output"] if content is None else content
    return text if isinstance(text, str) else str(text[0]["text"])
