"""A server that speaks protocol 2025-11-25 alone and asks during a call: JSON-RPC by hand."""

from __future__ import annotations

import json
import sys
from typing import Any


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sys.stdin.readline() or sys.exit(0))
    return found


number = 0
while True:
    message = receive()
    method, own = message.get("method"), message.get("id")
    if method == "initialize":
        info = {"name": "old shop", "version": "1"}
        can: dict[str, Any] = {"tools": {}, "prompts": {}}
        result = {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": info}
        send(id=own, result=result)
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"user": {"type": "string"}}, "required": ["user"]}
        send(id=own, result={"tools": [{"name": "buy", "description": "Buy.", "inputSchema": schema}]})
    elif method == "prompts/list":
        prompt = {"name": "greet", "arguments": [{"name": "user", "required": True}]}
        send(id=own, result={"prompts": [prompt]})
    elif method in ("tools/call", "prompts/get"):
        number += 1
        user = message["params"]["arguments"]["user"]
        form = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}
        question = {"mode": "form", "message": f"Is this {user}?", "requestedSchema": form}
        if user == "meta":
            text = {"type": "text", "text": " ".join(sorted(message["params"].get("_meta", {})))}
            send(id=own, result={"content": [text]})
            continue
        if user == "url":
            question = {
                "mode": "url",
                "message": "Log in",
                "url": "https://example.com",
                "elicitationId": "1",
            }
        send(id=f"question {number}", method="elicitation/create", params=question)
        while (answer := receive()).get("id") != f"question {number}":
            pass
        given = answer.get("result", {}).get("action", "error")
        text = {"type": "text", "text": f"{user}: {given}"}
        messages = [{"role": "user", "content": text}]
        send(id=own, result={"content": [text]} if method == "tools/call" else {"messages": messages})
    elif own is not None:
        send(id=own, error={"code": -32601, "message": "Method not found"})
