"""OpenAI, Chat Completions and Responses: definitions, and the answer to each call. Plain data, no SDK."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NoReturn

from toolgen.runtime.adapters.calls import Directory, Incoming, Speaker, get, identifier
from toolgen.runtime.adapters.naming import published, published_name, wire_names
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.text import quote
from toolgen.runtime.toolkit import Toolkit

JsonObject = dict[str, Any]

TARGET: Final = "openai"
_DIRECTORY: Final = Directory(TARGET)


def chat_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a Chat Completions request. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [{"type": "function", "function": _function(each)} for each in definitions.values()]


def responses_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a Responses request. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [{"type": "function", **_function(each)} for each in definitions.values()]


def _function(definition: ToolDefinition) -> JsonObject:
    made = published(definition, TARGET)
    return {
        "name": published_name(definition, TARGET),
        "description": definition["description"],
        "parameters": made.schema,
        "strict": made.strict,  # always said: the two APIs differ in what they take for granted
    }


def read_tool_call(toolkit: Toolkit, call: Any) -> Incoming:
    """A tool call of a model, as the toolkit takes it. Raises TypeError for what is no tool call."""
    kind, function = get(call, "type"), get(call, "function")
    if function is not None:
        return _function_call(toolkit, function, partial(_message, identifier(call, "id")))
    if kind == "function_call":
        return _function_call(toolkit, call, partial(_item, kind, identifier(call, "call_id")))
    if kind == "custom" and (custom := get(call, "custom")) is not None:
        return _custom_call(custom, partial(_message, identifier(call, "id")))
    if kind == "custom_tool_call":
        return _custom_call(call, partial(_item, kind, identifier(call, "call_id")))
    raise TypeError(
        "a tool call is an item of `message.tool_calls` (Chat) or an output item of type function_call "
        f"(Responses), not {type(call).__name__}" + (f" of type {kind!r}" if isinstance(kind, str) else "")
    )


def _message(tool_call_id: str, response: ToolResponse) -> JsonObject:
    return {"role": "tool", "tool_call_id": tool_call_id, "content": response.as_text()}


def _item(kind: str, call_id: str, response: ToolResponse) -> JsonObject:
    return {"type": f"{kind}_output", "call_id": call_id, "output": response.as_text()}


def _custom_call(call: Any, wrap: Callable[[ToolResponse], JsonObject]) -> Incoming:
    name = get(call, "name")
    shown = quote(name) if isinstance(name, str) else "it"
    error = InvalidRequestError(
        f"The call of {shown} is a custom tool call; tools here are functions and take JSON arguments."
    )
    return Incoming(str(name), None, wrap, error)


def _function_call(toolkit: Toolkit, call: Any, wrap: Callable[[ToolResponse], JsonObject]) -> Incoming:
    name = get(call, "name")
    if not isinstance(name, str):
        raise TypeError("the tool call names no tool")
    wire_name = _DIRECTORY.wire_name(toolkit, name)
    try:
        arguments = _DIRECTORY.restored(toolkit, wire_name, _parse(wire_name, get(call, "arguments")))
    except InvalidRequestError as error:
        return Incoming(wire_name, None, wrap, error)
    except RecursionError:
        return Incoming(wire_name, None, wrap, _not_json(wire_name, "nested too deeply"))
    return Incoming(wire_name, arguments, wrap)


def _parse(name: str, arguments: Any) -> Any:
    """The arguments as data. Models that mean none send an empty string, or nothing."""
    if arguments is None or arguments == "":
        return {}
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"{error.msg} at line {error.lineno}, column {error.colno}"
        raise _not_json(name, where) from None
    except _ConstantError as error:
        raise _not_json(name, f"{error} is not a JSON number") from None
    except ValueError:  # Python's limit for the conversion of texts to integers
        raise _not_json(name, "a number has too many digits") from None


class _ConstantError(ValueError):
    """NaN, Infinity or -Infinity, which Python's parser would accept."""


def _refuse_constant(word: str) -> NoReturn:
    raise _ConstantError(word)


def _not_json(name: str, why: str) -> InvalidRequestError:
    return InvalidRequestError(
        f"Invalid arguments for {quote(name)[1:-1]}:\n- $: expected a JSON object, got invalid JSON: {why}"
    )


SPEAKER: Final = Speaker(read_tool_call)

execute_tool_call = SPEAKER.execute
"""Answer one tool call with the `tool` message or the `function_call_output` item to send back."""

answer_tool_call = SPEAKER.answer
stream_tool_call = SPEAKER.stream
