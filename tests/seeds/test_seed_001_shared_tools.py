"""Seed 001, shared tools: one implementation behind every interface, with equal answers."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from toolgen.cli import main
from toolgen.runtime import ToolContext, Toolkit

from examples.loopback import model_that_calls
from examples.tools.echo import Echo
from generated import anthropic_tools, catalog, openai_tools
from generated.models.list_content import ListContentResponse
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from generated.tools.get_content import GetContentRequest, GetContentResponse, GetContentTool
from tests.runtime.tool_factory import code_of

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


def name_of(tool: Any) -> str:
    return str(tool["function"]["name"])


def test_content_is_listed_by_type(tmp_path: Path) -> None:
    """list_content: List portfolio items by type"""
    toolkit = helpers.gallery(tmp_path)
    for kind in ("article", "page", "project"):
        listed = helpers.call(toolkit, "list_content", {"types": [kind], "limit": 2}).content
        assert {item["type"] for item in listed["items"]} == {kind}
        assert len(listed["items"]) <= 2


def test_an_item_is_found_by_type_and_slug(tmp_path: Path) -> None:
    """get_content: Get a specific item by type and slug"""
    toolkit = helpers.gallery(tmp_path)
    found = helpers.call(toolkit, "get_content", {"type": "page", "slug": "opening-hours"})
    assert found.content["slug"] == "opening-hours"
    other = helpers.call(toolkit, "get_content", {"type": "article", "slug": "opening-hours"})
    assert code_of(other) == "content_not_found"


def test_content_is_searched_by_keywords(tmp_path: Path) -> None:
    """search_content: Search content by keywords"""
    found = helpers.call(helpers.gallery(tmp_path), "search_content", {"query": "e-bike battery winter"})
    assert [item["slug"] for item in found.content["items"]] == ["storing-an-e-bike-in-winter"]


def test_one_core_implementation_behind_every_adapter() -> None:
    """a core tools layer (src/tools/core/) that both MCP and OpenAI adapters consume"""
    tool = Counting()
    toolkit = helpers.kit_of(tool, context={"db": lambda: sqlite3.connect(":memory:")})
    said = helpers.texts(lambda _: toolkit, "get_content", {"type": "page", "slug": "a"})
    assert tool.calls == len(said) == 7
    assert sorted(json.loads(text)["body"] for text in said.values()) == list("1234567")


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_all_interfaces_return_identical_data(tmp_path: Path, name: str, arguments: dict[str, Any]) -> None:
    """Consistency: Both MCP and chat return identical data for the same queries"""

    def toolkit(way: str) -> Toolkit:
        return helpers.gallery(tmp_path)

    said = helpers.texts(toolkit, name, arguments)
    assert len(set(said.values())) == 1
    assert said["auto"] == helpers.call(toolkit(""), name, arguments).as_text()


def test_a_changed_implementation_changes_every_interface() -> None:
    """Maintainability: Update logic once, affects both interfaces"""

    class Shouting(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            return EchoResponse(text=request.text.upper())

    toolkit = helpers.kit_of(Echo())
    assert set(helpers.texts(lambda _: toolkit, "echo", {"text": "a"}).values()) == {'{"text":"a"}'}
    toolkit.replace([Shouting()])
    assert set(helpers.texts(lambda _: toolkit, "echo", {"text": "a"}).values()) == {'{"text":"A"}'}


def test_the_request_type_is_the_same_for_every_interface() -> None:
    """Type safety: Shared TypeScript types ensure compile-time correctness"""
    seen: list[object] = []

    class Seeing(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            seen.append(request)
            return EchoResponse(text=request.text)

    helpers.texts(lambda _: helpers.kit_of(Seeing()), "echo", {"text": "a"})
    assert seen == [EchoRequest(text="a")] * 7


def test_the_response_type_is_known_to_callers(tmp_path: Path) -> None:
    """): Promise<ToolResult<ListContentResult>>"""
    response = helpers.call(helpers.gallery(tmp_path), "list_content", {"types": ["project"], "limit": 2})
    listed = response.as_model(ListContentResponse)
    assert [item.slug for item in listed.items] == [item["slug"] for item in response.content["items"]]


def test_an_implementation_is_a_unit_of_its_own() -> None:
    """Testability: Core functions can be unit tested independently

    It is called without toolkit, adapter and server.
    """
    tool = Echo()
    assert tool.execute(EchoRequest(text="a"), ToolContext("1", "echo")) == EchoResponse(text="a")


@pytest.mark.parametrize("name", SEED)
def test_schemas_are_written_once(name: str, tmp_path: Path) -> None:
    """Schema reuse: Zod schemas used for both validation and JSON Schema generation

    Every interface publishes the author's schema, from which the typed request is generated.
    """
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    tool = next(tool for tool in listed if tool.name == name)
    definition = catalog.TOOLS[name]
    author = helpers.spec(name)["input_schema"]
    assert tool.input_schema == definition["input_schema"]
    assert tool.output_schema == definition.get("output_schema")
    assert set(author["properties"]) == set(tool.input_schema["properties"])
    assert tool.input_schema.get("required") == author.get("required")
    assert set(catalog.tool_class(name).request_model.model_fields) == set(author["properties"])


def test_a_breaking_change_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Semantic versioning: Breaking changes documented in ADRs"""
    old, new = tmp_path / "old", tmp_path / "specs"
    for folder, required in ((old, "[]"), (new, "[title]")):
        folder.mkdir()
        (folder / "rename.yaml").write_text(
            f"name: rename\ndescription: Rename.\ninput_schema:\n  type: object\n  required: {required}\n"
            "  properties:\n    title: {type: string}\n"
        )
    (tmp_path / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
    assert main(["-C", str(tmp_path), "breaking", "--against", str(old)]) == 1
    assert "error[property-required]" in capsys.readouterr().out


def test_every_interface_refuses_a_result_of_another_shape() -> None:
    """Type guards: Runtime validation ensures correct data shapes"""

    class Wrong(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> Any:
            return {"text": ["secret"]}

    for said in helpers.texts(lambda _: helpers.kit_of(Wrong()), "echo", {"text": "a"}).values():
        assert said.startswith("Error [invalid_response]: ")
        assert "secret" not in said


def test_every_interface_refuses_arguments_that_the_schema_does_not_allow(tmp_path: Path) -> None:
    """const params = ListContentInputSchema.parse(input)"""
    said = helpers.texts(lambda _: helpers.gallery(tmp_path), "list_content", {"limit": 0})
    assert {text.splitlines()[0] for text in said.values()} == {
        "Error [invalid_request]: Invalid arguments for list_content:"
    }


def test_a_result_has_success_and_data(tmp_path: Path) -> None:
    """return { success: true, data: { items: results } }"""
    response = helpers.call(
        helpers.gallery(tmp_path), "get_content", {"type": "page", "slug": "opening-hours"}
    )
    assert (response.success, response.error) == (True, None)
    assert response.content["title"] == "Opening hours"


@pytest.mark.parametrize("name", SEED)
def test_mcp_registers_name_description_and_schema(name: str, tmp_path: Path) -> None:
    """server.tool('list_content', 'List content items by type', ListContentInputSchema.shape"""
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    (tool,) = [tool for tool in listed if tool.name == name]
    definition = catalog.TOOLS[name]
    assert (tool.description, tool.input_schema) == (definition["description"], definition["input_schema"])


def test_the_text_of_an_mcp_result_is_the_data_as_json(tmp_path: Path) -> None:
    """text: JSON.stringify(result.data?.items ?? [], null, 2)"""
    result = helpers.mcp_call(helpers.gallery(tmp_path), "list_content", {"types": ["project"]})
    assert json.loads(helpers.text_of(result)) == result.structured_content


@pytest.mark.parametrize("name", SEED)
def test_a_failure_is_never_an_empty_success(name: str, tmp_path: Path) -> None:
    """result.data?.items ?? []

    The original design had `result.data?.items ?? []`. Here every interface reports the failure.
    """

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
async def test_chat_tool_definitions_reach_the_real_client(name: str, tmp_path: Path) -> None:
    """parameters: zodToJsonSchema(ListContentInputSchema)

    The generated CHAT_TOOLS go to the API, and execute_tool_call answers what the model calls.
    """
    arguments = helpers.spec(name)["examples"][0]["input"]

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
            content, reason = answer["content"], last.choices[0].finish_reason
    assert json.loads(content) == helpers.spec(name)["examples"][0]["output"]
    assert reason == "stop"


@pytest.mark.parametrize("name", SEED)
def test_descriptions_are_the_same_everywhere(name: str, tmp_path: Path) -> None:
    """description: 'List portfolio content items by type...'"""
    listed = helpers.over_mcp(helpers.gallery(tmp_path), lambda client: client.list_tools()).tools
    said = {tool.description for tool in listed if tool.name == name}
    said |= {tool["function"].get("description") for tool in openai_tools.CHAT_TOOLS if name_of(tool) == name}
    said |= {tool.get("description") for tool in openai_tools.RESPONSES_TOOLS if tool["name"] == name}
    said |= {tool.get("description") for tool in anthropic_tools.TOOLS if tool["name"] == name}
    assert said == {catalog.TOOLS[name]["description"]}


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [("list_content", "{", "invalid_request"), ("list_contents", "{}", "unknown_tool")],
    ids=["arguments that are not JSON", "a name that is none"],
)
def test_a_mistaken_tool_call_is_answered(tmp_path: Path, name: str, arguments: str, code: str) -> None:
    """const args = JSON.parse(argsString); switch (name)"""
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = asyncio.run(openai_tools.execute_tool_call(call, helpers.gallery(tmp_path)))
    assert message["content"].startswith(f"Error [{code}]: ")
