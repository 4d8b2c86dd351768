"""A server that speaks protocol 2026-07-28 alone and asks by the result of a call: JSON-RPC by hand."""

from __future__ import annotations

import json
import sys
from typing import Any

INFO = {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new shop", "version": "1"}}}
FORM = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}
PAGE = {"mode": "url", "message": "Log in", "url": "https://example.com", "elicitationId": "1"}
LISTED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "server/discover":
        can = {"tools": {}, "prompts": {}}
        return {**INFO, **LISTED, "supportedVersions": ["2026-07-28"], "capabilities": can}
    if method == "tools/list":
        schema = {"type": "object", "properties": {"user": {"type": "string"}}, "required": ["user"]}
        return {**LISTED, "tools": [{"name": "buy", "description": "Buy.", "inputSchema": schema}]}
    if method == "prompts/list":
        return {**LISTED, "prompts": [{"name": "greet", "arguments": [{"name": "user", "required": True}]}]}
    if method in ("tools/call", "prompts/get"):
        user = params["arguments"]["user"]
        state = params.get("requestState")
        if user == "meta":
            text = {"type": "text", "text": " ".join(sorted(params["_meta"]))}
            return {"resultType": "complete", "content": [text]}
        if user == "url":
            requests = {"answer": {"method": "elicitation/create", "params": PAGE}}
            return {"resultType": "input_required", "inputRequests": requests, "requestState": "url"}
        if state is None:
            return asks(f"Is this {user}?", "first")
        given = params["inputResponses"]["answer"]["action"]
        if state == "first" and user == "ann":
            return asks(f"Really {user}?", "second")
        text = {"type": "text", "text": f"{user}: {given} {state}"}
        if method == "tools/call":
            return {"resultType": "complete", "content": [text]}
        return {"resultType": "complete", "messages": [{"role": "user", "content": text}]}
    return None


def asks(message: str, state: str) -> dict[str, Any]:
    question = {"mode": "form", "message": message, "requestedSchema": FORM}
    requests = {"answer": {"method": "elicitation/create", "params": question}}
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = answer(message["method"], message.get("params", {}))
    error = {"code": -32601, "message": "Method not found"}
    found = {"error": error} if result is None else {"result": result}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **found}), flush=True)
