"""The OpenAI adapter: definitions, single calls, and whole conversations of the real client."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import jsonschema_rs
import pytest
from adapter_samples import WHEN, Book, Renamed, Rows, closed, sdk, toolkit
from anthropic_loopback import JsonObject, Loopback, loopback
from toolgen.runtime import BaseTool, ToolContext, Toolkit, ToolSpec
from toolgen.runtime.adapters.openai import chat_tools, responses_tools
from toolgen.runtime.adapters.provider import ProviderAdapter
from toolgen.schema.dialects.openai import to_strict
from toolgen.schema.document import SchemaDocument

execute_tool_call = ProviderAdapter("openai").execute


def chat(name: str, arguments: Any) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def text_of(call: Any, tools: Toolkit | None = None, **options: Any) -> str:
    message = asyncio.run(execute_tool_call(call, tools or toolkit(), **options))
    text: str = message["content"] if "content" in message else message["output"]
    return text


def test_definitions_always_say_whether_they_are_strict() -> None:
    definitions = toolkit().definitions
    book = to_strict(SchemaDocument(Book.definition["input_schema"])).schema
    function = {
        "name": "book",
        "description": Book.definition["description"],
        "parameters": book,
        "strict": True,
    }
    assert chat_tools(definitions)[0] == {"type": "function", "function": function}
    output = {"output_schema": Book.definition["output_schema"]}
    assert responses_tools(definitions)[0] == {"type": "function", **function, **output}
    renamed = responses_tools(definitions)[-1]
    assert (renamed["name"], renamed["strict"]) == ("oa-renamed", False)
    assert renamed["parameters"] is Renamed.definition["input_schema"]
    rows = chat_tools({"rows": Rows.definition})[0]["function"]
    assert (rows["parameters"], rows["strict"]) == (Rows.definition["input_schema"], False)


def test_nulls_added_by_strict_mode_are_removed() -> None:
    sent = {
        "guests": None,
        "note": None,
        "when": {"day": "2026-11-20", "hour": None},
        "dishes": [{"dish": "soup", "count": None}],
    }
    assert json.loads(text_of(chat("book", json.dumps(sent))))["given"] == {
        "when": {"day": "2026-11-20"},
        "dishes": [{"dish": "soup"}],
    }


@pytest.mark.parametrize(("is_strict", "received"), [(True, {"id": 7}), (False, {"id": 7, "phone": None})])
def test_a_strict_call_does_not_clear_what_it_does_not_speak_of(
    is_strict: bool, received: dict[str, Any]
) -> None:
    class Update(BaseTool[dict[str, Any], Any]):
        spec = ToolSpec(
            name="update",
            description="Change a contact; a phone of null removes the number.",
            input_schema=closed({"id": {"type": "integer"}, "phone": {"type": ["string", "null"]}}, ["id"]),
            targets={"openai": {"strict": is_strict}},
        )

        def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
            return request

    sent = '{"id": 7, "phone": null}'  # all that a model can send for "no phone" in strict mode
    assert json.loads(text_of(chat("update", sent), Toolkit([Update()]))) == received


@pytest.mark.parametrize("name", ["book", "reserve"])
def test_answers_go_to_the_call_they_belong_to(name: str) -> None:
    arguments = json.dumps(WHEN)
    expected = '{"given":{"when":{"asap":true}},"nothing":null}'
    answer = asyncio.run(execute_tool_call(chat(name, arguments), toolkit()))
    assert answer == {"role": "tool", "tool_call_id": "call_1", "content": expected}
    item = {"type": "function_call", "id": "fc", "call_id": "call_2", "name": name, "arguments": arguments}
    answer = asyncio.run(execute_tool_call(item, toolkit()))
    assert answer == {"type": "function_call_output", "call_id": "call_2", "output": expected}
    assert asyncio.run(execute_tool_call(SimpleNamespace(**item), toolkit())) == answer


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ('{"when": ', "invalid JSON: Expecting value at line 1, column 10"),
        ('{"guests": NaN}', "$.guests: expected a JSON value, got a number that JSON cannot write"),
        ("[" * 100_000, "invalid JSON: nested too deeply"),
        ('{"guests": ' + "9" * 5_000 + "}", "or a number has too many digits"),
        ("[1]", "expected an object with the arguments, got an array"),
    ],
)
def test_invalid_arguments_are_answered_with_an_error(arguments: Any, reported: str) -> None:
    text = text_of(chat("book", arguments))
    assert text.startswith("Error [invalid_request]: Invalid arguments for book:\n- $")
    assert reported in text


@pytest.mark.parametrize(
    "call",
    [
        "book",
        {"type": "function_call", "name": "rows", "arguments": "{}"},
        {"id": "x", "function": {"arguments": "{}"}},
    ],
)
def test_a_value_that_is_not_a_tool_call_is_a_type_error(call: Any) -> None:
    with pytest.raises(TypeError):
        asyncio.run(execute_tool_call(call, toolkit()))


class OfAProgram(Loopback):
    """Answers as the Responses API does when a program makes the calls."""

    def reply(self, body: JsonObject) -> JsonObject:
        output: list[JsonObject] = [
            {
                "type": "function_call",
                "id": f"fc_{i}",
                "call_id": f"call_{i}",
                "name": name,
                "arguments": json.dumps(given),
                "status": "completed",
                "caller": {"type": "program", "caller_id": "prog_1"},
            }
            for i, (name, given) in enumerate(self.calls)
        ]
        return {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "completed",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": body["tools"],
        }


def test_calls_of_a_program_are_answered_to_it() -> None:
    """A tool for programs says what it returns, and its output names the program that called."""
    definition = {**Book.definition, "targets": {"openai": {"allowed_callers": ["programmatic"]}}}
    tools: list[Any] = responses_tools({"book": definition})
    with (
        loopback([("book", {**WHEN, "guests": 2})], OfAProgram) as server,
        sdk("openai:OpenAI")(base_url=server.url, api_key="none", max_retries=0, timeout=10) as client,
    ):
        items: list[Any] = [{"role": "user", "content": "hi"}]
        ask = {"model": "m", "tools": tools}
        output = client.responses.create(input=items, **ask).output
        calls = [item for item in output if item.type == "function_call"]
        answers = [asyncio.run(execute_tool_call(call, toolkit())) for call in calls]
        items += [item.model_dump(exclude_none=True, by_alias=True) for item in output]
        client.responses.create(input=[*items, *answers], **ask)
    (published,) = server.seen[0]["tools"]
    assert published["allowed_callers"] == ["programmatic"]
    assert published["output_schema"] == Book.definition["output_schema"]
    (answer,) = server.seen[1]["input"][-1:]
    assert answer["caller"] == {"type": "program", "caller_id": "prog_1"}
    assert jsonschema_rs.is_valid(published["output_schema"], json.loads(answer["output"]))
