"""OpenAI, Chat Completions and Responses: definitions, and the answer to each call. Plain data, no SDK."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn
from weakref import WeakKeyDictionary

from toolgen.runtime.adapters import calls
from toolgen.runtime.adapters.calls import Answer, Incoming, Names, get, identifier
from toolgen.runtime.adapters.naming import options, published_name, wire_names
from toolgen.runtime.confirm import Confirm
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit
from toolgen.runtime.words import quote
from toolgen.schema.openai import publish, restorer

JsonObject = dict[str, Any]

TARGET: Final = "openai"


def chat_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a Chat Completions request. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [{"type": "function", "function": _function(each)} for each in definitions.values()]


def responses_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a Responses request. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [{"type": "function", **_function(each)} for each in definitions.values()]


def _function(definition: ToolDefinition) -> JsonObject:
    schema, strict, _ = publish(definition["input_schema"], options(definition, TARGET).get("strict"))
    return {
        "name": published_name(definition, TARGET),
        "description": definition["description"],
        "parameters": schema,
        "strict": strict,  # always said: the two APIs differ in what they take for granted
    }


async def execute_tool_call(toolkit: Toolkit, call: Any, confirm: Confirm | None = None) -> JsonObject:
    """Answer one tool call of a model: a Chat tool call or a Responses function call, SDK object or dict.

    Gives the `tool` message or the `function_call_output` item to send back. Whatever the model did wrong is
    in its text, for the model to mend. `confirm` asks the user. Raises TypeError for what is no tool call.
    """
    return (await answer_tool_call(toolkit, call, confirm)).message


async def answer_tool_call(toolkit: Toolkit, call: Any, confirm: Confirm | None = None) -> Answer:
    """As `execute_tool_call`, with the response beside it: `.final_answer`, `.extras`."""
    return await calls.answer(toolkit, read_tool_call(toolkit, call), confirm)


def stream_tool_call(
    toolkit: Toolkit, call: Any, confirm: Confirm | None = None
) -> AsyncGenerator[Any, None]:
    """The chunks of a streamed result as they come, JSON values, and last the Answer."""
    return calls.stream(toolkit, read_tool_call(toolkit, call), confirm)


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
    dispatch = _dispatch(toolkit)
    wire_name = dispatch.names.wire.get(name, name)
    try:
        arguments = dispatch.restore(toolkit, wire_name)(_parse(wire_name, get(call, "arguments")))
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


@dataclass(frozen=True, slots=True)
class _Dispatch:
    """What incoming calls need to know of a toolkit's definitions."""

    names: Names
    restorers: dict[str, Callable[[Any], Any]]  # wire name → undoes the strict schema; filled when called

    def restore(self, toolkit: Toolkit, name: str) -> Callable[[Any], Any]:
        """What brings the arguments of the tool called `name` back to the author's schema."""
        definition = toolkit.definition_of(name)
        if definition is None:
            return _unchanged
        wire_name = definition["name"]
        if wire_name not in self.restorers:
            schema = definition["input_schema"]
            _, strict, _ = publish(schema, options(definition, TARGET).get("strict"))
            self.restorers[wire_name] = restorer(schema) if strict else _unchanged
        return self.restorers[wire_name]


_DISPATCHES: WeakKeyDictionary[Toolkit, _Dispatch] = WeakKeyDictionary()


def _dispatch(toolkit: Toolkit) -> _Dispatch:
    found = _DISPATCHES.get(toolkit)
    if found is None or found.names.definitions is not toolkit.definitions:
        found = _DISPATCHES[toolkit] = _Dispatch(Names.of(toolkit, TARGET), {})
    return found


def _unchanged(arguments: Any) -> Any:
    return arguments
