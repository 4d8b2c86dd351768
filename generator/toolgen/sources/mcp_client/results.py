"""What a result of an MCP tool call says: the response in it, and the text of an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

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
