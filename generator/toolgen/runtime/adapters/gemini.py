"""Gemini: function declarations, and the answer to each function call. Plain data, no SDK."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from toolgen.runtime.adapters.calls import Directory, Incoming, Speaker, get
from toolgen.runtime.adapters.naming import published, published_name, wire_names
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

JsonObject = dict[str, Any]

TARGET: Final = "gemini"
_DIRECTORY: Final = Directory(TARGET)


def gemini_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a request: one, with every function. Raises ValueError where two have one name."""
    return [{"function_declarations": function_declarations(definitions)}]


def function_declarations(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The functions as Gemini has them. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [
        {
            "name": published_name(each, TARGET),
            "description": each["description"],
            "parameters_json_schema": published(each, TARGET).schema,
        }
        for each in definitions.values()
    ]


def _read(toolkit: Toolkit, call: Any) -> Incoming:
    """A `FunctionCall`, or a part of a message that has one; an SDK's object or a dict."""
    for key in ("function_call", "functionCall"):
        call = call if get(call, key) is None else get(call, key)
    name = get(call, "name")
    if not isinstance(name, str):
        raise TypeError(
            f"a tool call is one of `response.function_calls`, or a part with one, not {type(call).__name__}"
        )
    wire_name = _DIRECTORY.wire_name(toolkit, name)
    sent = get(call, "args")
    arguments = _DIRECTORY.restored(toolkit, wire_name, {} if sent is None else sent)
    return Incoming(wire_name, arguments, partial(_part, get(call, "id"), name))


def _part(call_id: Any, name: str, response: ToolResponse) -> JsonObject:
    told = {"output": response.content} if response.success else {"error": response.as_text()}
    answer = {"name": name, "response": told}
    return {"function_response": answer if call_id is None else {"id": call_id, **answer}}


SPEAKER: Final = Speaker(_read)

execute_function_call = SPEAKER.execute
"""Answer one function call with the part to send back, which has the `function_response`."""

answer_function_call = SPEAKER.answer
stream_function_call = SPEAKER.stream
