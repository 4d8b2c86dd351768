"""The Gemini adapter: declarations, single calls, and a conversation with the real client."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from adapter_samples import CALLS, Book, Renamed, define, sdk, toolkit
from anthropic_loopback import JsonObject, Loopback, loopback
from toolgen.runtime import BaseTool, ToolContext, Toolkit
from toolgen.runtime.adapters.gemini import function_declarations, gemini_tools
from toolgen.runtime.adapters.provider import ProviderAdapter

execute_function_call = ProviderAdapter("gemini").execute


def answer(name: str, args: Any, tools: Toolkit | None = None, **options: Any) -> dict[str, Any]:
    call = sdk("google.genai.types:FunctionCall")(id="f1", name=name, args=args)
    return asyncio.run(execute_function_call(call, tools or toolkit(), **options))


def test_declarations_are_valid_for_the_sdk() -> None:
    declared = function_declarations(toolkit().select(names=["book", "rows"]).definitions)
    assert [each["name"] for each in declared] == ["book", "rows"]
    assert declared[0]["description"] == Book.definition["description"]
    for each in declared:
        made = sdk("google.genai.types:FunctionDeclaration").model_validate(each)
        assert made.parameters_json_schema == each["parameters_json_schema"]
    assert gemini_tools(toolkit().select(names=["book", "rows"]).definitions) == [
        {"function_declarations": declared}
    ]


def test_every_form_of_a_call_is_accepted() -> None:
    call = {"name": "rows", "args": {"n": 2}}
    part_of = sdk("google.genai.types:Part").model_validate
    for form in (call, {"functionCall": call}, part_of({"functionCall": call})):
        part = asyncio.run(execute_function_call(form, toolkit()))
        assert part == {"function_response": {"name": "rows", "response": {"output": [0, 1]}}}
        assert part_of(part).function_response.response == {"output": [0, 1]}


def test_other_values_than_calls_are_refused() -> None:
    text = sdk("google.genai.types:Part")(text="hi")
    for thing in (None, "rows", {"name": 1}, SimpleNamespace(args={}), text):
        with pytest.raises(TypeError, match="a tool call is one of"):
            asyncio.run(execute_function_call(thing, toolkit()))


class Range(BaseTool[Any, Any]):
    """Has arguments whose names Gemini does not accept."""

    definition = define(
        "range",
        "Count what came between two days.",
        {"type": "object", "properties": {"Day<": {"type": "string"}, "Day>": {"type": "string"}}},
        targets={"gemini": {"name": "day_range"}},
    )
    request_model = Renamed.request_model

    def execute(self, request: Any, context: ToolContext) -> Any:
        return request.given()


def test_names_of_arguments_are_restored() -> None:
    tools = Toolkit([Range()])
    (declared,) = function_declarations(tools.definitions)
    assert declared["name"] == "day_range"
    assert list(declared["parameters_json_schema"]["properties"]) == ["Day_", "Day__2"]
    reported = answer("day_range", {"Day_": "1", "Day__2": "2"}, tools)["function_response"]
    assert reported["name"] == "day_range"
    assert reported["response"] == {"output": {"Day<": "1", "Day>": "2"}}


class Gemini(Loopback):
    """Answers as the Gemini API does."""

    def reply(self, body: JsonObject) -> JsonObject:
        parts: list[JsonObject] = [{"text": "done"}]
        if not self.seen:
            parts = [
                {"functionCall": {"id": f"f{i}", "name": name, "args": given}}
                for i, (name, given) in enumerate(self.calls)
            ]
        content = {"role": "model", "parts": parts}
        return {"candidates": [{"index": 0, "finishReason": "STOP", "content": content}]}


def test_a_conversation_with_the_real_client() -> None:
    tools = toolkit()
    published: Any = gemini_tools(tools.select(names=["book", "rows"]).definitions)
    with loopback(CALLS, Gemini) as server:
        client = sdk("google.genai:Client")(api_key="none", http_options={"base_url": server.url})
        config: Any = {"tools": published, "automatic_function_calling": {"disable": True}}
        first = client.models.generate_content(model="m", contents="go", config=config)
        parts = [asyncio.run(execute_function_call(call, tools)) for call in first.function_calls or ()]
        contents: Any = [
            {"role": "user", "parts": [{"text": "go"}]},
            first.candidates[0].content if first.candidates else None,
            {"role": "user", "parts": parts},
        ]
        last = client.models.generate_content(model="m", contents=contents, config=config)
        client.close()
    assert last.text == "done"
    sent = server.seen[0]["tools"][0]["functionDeclarations"]
    assert [each["name"] for each in sent] == ["book", "rows"]
    declared = published[0]["function_declarations"]
    assert [each["parameters_json_schema"] for each in sent] == [
        each["parameters_json_schema"] for each in declared
    ]
    answers = [part["functionResponse"] for part in server.seen[1]["contents"][-1]["parts"]]
    assert [each["id"] for each in answers] == ["f0", "f1", "f2"]
    assert [list(each["response"]) for each in answers] == [["output"], ["error"], ["output"]]
    assert "- $.guests: expected at least 1, got 0" in answers[1]["response"]["error"]
