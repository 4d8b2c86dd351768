"""The forms of a response: itself, plain data, one line of JSON, lines for people."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from .response import ToolResponse


class ResponseForm(StrEnum):
    """What `ToolResponse.render` gives."""

    INTACT = "intact"  # the response itself
    DICT = "dict"  # plain data
    STR = "str"  # one line of JSON
    PRETTY_STR = "pretty_str"  # a line a field, for people


def render(
    response: ToolResponse, form: ResponseForm | None, no_empty: bool, no_metadata: bool
) -> ToolResponse | dict[str, Any] | str:
    """`response` in one of its forms (default: PRETTY_STR), without fields that the caller wants left out."""
    form = ResponseForm.PRETTY_STR if form is None else ResponseForm(form)
    if form is ResponseForm.INTACT:
        return response
    fields = response.as_dict()
    if no_metadata:
        del fields["metadata"]
    if no_empty:
        answer = "content" if response.success else "error"  # says something even where it is empty
        fields = {key: value for key, value in fields.items() if key == answer or not _is_empty(value)}
    if form is ResponseForm.DICT:
        return fields
    if form is ResponseForm.STR:
        return _json(fields, separators=(",", ":"))
    if response.error is not None:
        fields["error"] = response.error.as_text()
    return "\n".join(f"{key}: {_pretty(value)}" for key, value in fields.items())


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _pretty(value: Any) -> str:
    if isinstance(value, str):
        return value if "\n" not in value else "".join(f"\n  {line}" for line in value.splitlines())
    if isinstance(value, list | dict) and value:
        return "".join(f"\n  {line}" for line in _json(value, indent=2).splitlines())
    return _json(value)


def _json(value: Any, **layout: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, **layout)  # metadata and extras are anything
