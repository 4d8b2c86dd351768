"""Seed 001, shared tools: one implementation behind every interface, with equal answers."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from toolgen.runtime import ToolContext, Toolkit

from examples.loopback import model_that_calls
from generated import anthropic_tools, catalog, openai_tools
from generated.tools.get_content import GetContentRequest, GetContentResponse, GetContentTool

from . import helpers

SEED = ("list_content", "get_content", "search_content")
CALLS: list[tuple[str, dict[str, Any]]] = [
    (name, example["input"]) for name in SEED for example in helpers.spec(name)["examples"]
]


class Counting(GetContentTool):
    """get_content that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    async def execute(
        self, request: GetContentRequest, context: ToolContext, *, db: object
    ) -> GetContentResponse:
        self.calls += 1
        day, url = "2026-01-01", "https://harbour-cycles.example"
        fields = {"title": "T", "body": str(self.calls), "published_on": day, "url": url}
        return GetContentResponse(type=request.type, slug=request.slug, **fields)


def test_one_core_implementation_behind_every_adapter() -> None:
    tool = Counting()
    toolkit = helpers.kit_of(tool, context={"db": lambda: sqlite3.connect(":memory:")})
    said = helpers.texts(lambda _: toolkit, "get_content", {"type": "page", "slug": "a"})
    assert tool.calls == len(said) == 5
    assert sorted(json.loads(text)["body"] for text in said.values()) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_all_interfaces_return_identical_data(tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    def toolkit(way: str) -> Toolkit:
        return helpers.gallery(tmp_path)

    said = helpers.texts(toolkit, name, arguments)
    assert len(set(said.values())) == 1
    assert said["auto"] == helpers.call(toolkit(""), name, arguments).as_text()


@pytest.mark.parametrize("name", SEED)
def test_chat_tool_definitions_reach_the_real_client(name: str, tmp_path: Path) -> None:
    """The generated CHAT_TOOLS go to the API, and execute_tool_call answers what the model calls."""
    arguments = helpers.spec(name)["examples"][0]["input"]

    async def converse() -> tuple[str, str]:
        with model_that_calls(name, arguments) as url:
            async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
                history: list[Any] = [{"role": "user", "content": "Please."}]
                tools: Any = openai_tools.CHAT_TOOLS
                first = await client.chat.completions.create(model="m", messages=history, tools=tools)
                message = first.choices[0].message
                (called,) = message.tool_calls or []
                answer = await openai_tools.execute_tool_call(called, helpers.gallery(tmp_path))
                history += [message.model_dump(exclude_none=True), answer]
                last = await client.chat.completions.create(model="m", messages=history, tools=tools)
                return answer["content"], last.choices[0].finish_reason

    content, reason = asyncio.run(converse())
    assert json.loads(content) == helpers.spec(name)["examples"][0]["output"]
    assert reason == "stop"


def test_a_result_has_success_and_data(tmp_path: Path) -> None:
    response = helpers.call(
        helpers.gallery(tmp_path), "get_content", {"type": "page", "slug": "opening-hours"}
    )
    assert (response.success, response.error) == (True, None)
    assert response.content["title"] == "Opening hours"


@pytest.mark.parametrize("name", SEED)
def test_a_failure_is_never_an_empty_success(name: str, tmp_path: Path) -> None:
    """The original design had `result.data?.items ?? []`. Here every interface reports the failure."""

    def broken() -> object:
        raise OSError("the disk is gone")

    toolkit = catalog.toolkit(context={"db": broken})
    arguments = helpers.spec(name)["examples"][0]["input"]
    response = helpers.call(toolkit, name, arguments)
    assert (response.success, response.content) == (False, None)
    for said in helpers.texts(lambda _: toolkit, name, arguments).values():
        assert said.startswith("Error [internal_error]: ")
        assert "disk" not in said


@pytest.mark.parametrize("name", SEED)
def test_schemas_are_written_once(name: str, tmp_path: Path) -> None:
    """Every interface publishes the author's schema, from which the typed request is generated."""
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    tool = next(tool for tool in listed if tool.name == name)
    definition = catalog.TOOLS[name]
    author = helpers.spec(name)["input_schema"]
    assert tool.input_schema == definition["input_schema"]
    assert tool.output_schema == definition.get("output_schema")
    assert set(author["properties"]) == set(tool.input_schema["properties"])
    assert tool.input_schema.get("required") == author.get("required")
    assert set(catalog.tool_class(name).request_model.model_fields) == set(author["properties"])


@pytest.mark.parametrize("name", SEED)
def test_descriptions_are_the_same_everywhere(name: str, tmp_path: Path) -> None:
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    said = {tool.description for tool in listed if tool.name == name}
    said |= {tool["function"].get("description") for tool in openai_tools.CHAT_TOOLS if name_of(tool) == name}
    said |= {tool.get("description") for tool in openai_tools.RESPONSES_TOOLS if tool["name"] == name}
    said |= {tool.get("description") for tool in anthropic_tools.TOOLS if tool["name"] == name}
    assert said == {catalog.TOOLS[name]["description"]}


def name_of(tool: Any) -> str:
    return str(tool["function"]["name"])


def test_a_draft_is_not_found_through_any_interface(tmp_path: Path) -> None:
    toolkit = helpers.gallery(tmp_path)
    listed = helpers.call(toolkit, "list_content", {"limit": 50}).content
    assert "jobs" not in {item["slug"] for item in listed["items"]}
    assert (
        helpers.call(toolkit, "search_content", {"query": "mechanic drives", "types": ["page"]}).content[
            "total"
        ]
        == 0
    )
    response = helpers.call(toolkit, "get_content", {"type": "page", "slug": "jobs"})
    assert response.error is not None
    assert response.error.code == "content_not_found"
