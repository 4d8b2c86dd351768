"""Read results of tool calls that other servers send: response, texts, blocks. Needs no SDK."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any

from toolgen.runtime.content.block import Block, digest
from toolgen.schema.inline import RESULT_PROPERTY


def text_of(result: Any) -> str:
    """Return the texts of a result (`mcp_types.CallToolResult`)."""
    return "".join(each.text for each in result.content if each.type == "text")


def response_of(result: Any, accepts: Callable[[Any], bool] | None) -> Any:
    """Return the response in a result: its structured content, or else its text.

    `accepts` is the output schema; None if there is none. Protocol versions up to 2025-11-25 wrap a response
    that is not an object in one, which is unwrapped if the schema does not accept it.
    """
    structured = result.structured_content
    if structured is None:
        return _value_of(text_of(result), wants_json=accepts is not None)
    # An author's own schema may have this one property: then the object is the response itself.
    is_wrapped = isinstance(structured, dict) and structured.keys() == {RESULT_PROPERTY}
    if is_wrapped and accepts is not None and not accepts(structured):
        return structured[RESULT_PROPERTY]
    return structured


def _value_of(text: str, *, wants_json: bool) -> Any:
    """Return the JSON value that a text holds; the text if it holds none, or would be written otherwise."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value if wants_json or compact == text else text


def repeats(text: str, structured: Mapping[str, Any]) -> bool:
    """True if a text is the structured content, or the only value in it: many servers send both."""
    values = [structured, *(structured.values() if len(structured) == 1 else ())]
    try:
        return text in values or json.loads(text) in values
    except (ValueError, RecursionError):
        return False


def block_of(content: Any) -> Block:
    """Return content of a result as a block of the runtime. Raises ValueError for data that is not base64."""
    kind, notes = content.type, content.annotations
    own: dict[str, Any] = {}
    if notes is not None:
        own = {"audience": tuple(notes.audience or ()), "priority": notes.priority}
    if kind == "resource_link":
        own |= {key: getattr(content, key) for key in ("name", "title", "description", "size")}
        return Block("link", b"", media_type=content.mime_type, uri=str(content.uri), **own)
    source = content.resource if kind == "resource" else content
    text = getattr(source, "text", None)
    media_type = "text/plain" if kind == "text" else source.mime_type
    if kind == "resource":
        kind, own["uri"] = "file", str(source.uri)
    try:
        encoded = source.blob if kind == "file" and text is None else getattr(source, "data", "")
        data = base64.b64decode(encoded, validate=True) if text is None else text.encode()
    except binascii.Error as error:
        raise ValueError(f"a block is not base64: {error}") from None
    return Block(kind, data, media_type=media_type, size=len(data), sha256=digest(data), **own)
