"""Responses as bytes, so that another process can give the answer of a call that this one has executed."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from .content.block import Block
from .errors import RUNTIME_ERRORS, ToolError
from .response import ToolResponse
from .validation.json_value import is_json


def dump_response(response: ToolResponse) -> bytes:
    """Return a response as JSON. Extras are left out: they belong to the session of the first caller."""
    metadata = {key: value for key, value in response.metadata.items() if is_json({key: value})}
    metadata.pop("call_id", None)
    data = {
        "content": response.content,
        "error": None if response.error is None else response.error.as_dict(),
        "metadata": metadata,
        "final_answer": response.final_answer,
        "text": response.text,
        "blocks": [{**asdict(each), "data": each.base64} for each in response.blocks],
    }
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode()


def load_response(
    raw: bytes, tool_name: str, declared: Mapping[str, type[ToolError]], metadata: Mapping[str, Any]
) -> ToolResponse:
    """Return the response in `raw`, with `metadata` of the call that is answered with it."""
    data: dict[str, Any] = json.loads(raw)
    error = data["error"]
    return ToolResponse(
        tool_name,
        error is None,
        data["content"],
        None if error is None else _load_error(error, declared),
        {**data["metadata"], **metadata},
        final_answer=data["final_answer"],
        text=data["text"],
        blocks=tuple(_load_block(each) for each in data["blocks"]),
    )


def _load_error(data: Mapping[str, Any], declared: Mapping[str, type[ToolError]]) -> ToolError:
    known: dict[str, type[ToolError]] = {**{each.code: each for each in RUNTIME_ERRORS}, **declared}
    code = data["code"]
    # another version of the tool may have declared it
    kind: type[ToolError] = known.get(code) or type(
        "StoredError", (ToolError,), {key: data[key] for key in ("code", "retryable", "hint")}
    )
    return kind(data["message"], details=data["details"], retry_after=data.get("retry_after"))


def _load_block(data: dict[str, Any]) -> Block:
    return Block(**{**data, "data": base64.b64decode(data["data"]), "audience": tuple(data["audience"])})
