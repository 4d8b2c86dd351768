"""Every adapter publishes the author's definition of every tool, compared as a whole.

`examples.contract` reads the YAML files independently. Only the losses in docs/dialects.md are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import ListToolsResult

from examples import contract
from generated import anthropic_tools, bedrock_tools, gemini_tools, openai_tools
from tests.samples import sample

from . import helpers

CHAT: list[Any] = [tool["function"] for tool in openai_tools.CHAT_TOOLS]
RESPONSES: list[Any] = [
    {key: value for key, value in tool.items() if key != "type"} for tool in openai_tools.RESPONSES_TOOLS
]
GEMINI: list[Any] = list(gemini_tools.FUNCTION_DECLARATIONS)
ANTHROPIC: list[Any] = list(anthropic_tools.TOOLS)


def listed(tmp_path: Path, era: Any) -> list[dict[str, Any]]:
    async def act(client: Client) -> ListToolsResult:
        return await client.list_tools()

    result = helpers.over_mcp(helpers.gallery(tmp_path), act, era)
    return [tool.model_dump(by_alias=True, mode="json", exclude_unset=True) for tool in result.tools]


@pytest.mark.parametrize("era", helpers.ERAS)
def test_mcp_publishes_the_authors_definitions(tmp_path: Path, era: Any) -> None:
    assert contract.mcp_faults(listed(tmp_path, era), legacy=era == "legacy") == []


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_openai_definitions_are_the_authors(api: str) -> None:
    responses = api == "responses"
    assert contract.openai_faults(RESPONSES if responses else CHAT, responses=responses) == []


def test_anthropic_definitions_are_the_authors() -> None:
    assert contract.anthropic_faults(ANTHROPIC) == []


def test_bedrock_definitions_are_the_authors() -> None:
    assert contract.bedrock_faults(bedrock_tools.TOOL_CONFIG) == []


def test_gemini_definitions_are_the_authors() -> None:
    assert contract.gemini_faults(GEMINI) == []


def test_both_forms_of_openai_are_in_the_gallery() -> None:
    assert {function["strict"] for function in CHAT} == {True, False}


@pytest.mark.parametrize("keyword", sorted(contract.STRICT_LOSES | contract.GEMINI_WORDS))
def test_every_loss_that_is_allowed_here_is_documented(keyword: str) -> None:
    said = (helpers.ROOT / "docs/dialects.md").read_text(encoding="utf-8")
    assert f"`{keyword}`" in said


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a property is another": lambda schema: schema["properties"].update(
        {name: {"type": "null"} for name in schema["properties"]}
    ),
    "a property is missing": lambda schema: schema["properties"].popitem(),
    "a property is too many": lambda schema: schema["properties"].update(more={"type": "string"}),
    "another type": lambda schema: next(iter(schema["properties"].values())).update(type="null"),
    "another description": lambda schema: next(iter(schema["properties"].values())).update(description="?"),
    "open instead of closed": lambda schema: schema.update(additionalProperties=True),
    "nothing is required": lambda schema: schema.update(required=[]),
}


@pytest.mark.parametrize("change", sample(CHANGES, (0, 3)))
def test_every_change_of_every_schema_is_found(change: str) -> None:
    """Each target's comparison reports every tool that is changed in one place."""
    checks: list[tuple[list[Any], str, Callable[[Sequence[Mapping[str, Any]]], list[str]]]] = [
        (CHAT, "parameters", contract.openai_faults),
        (RESPONSES, "output_schema", partial(contract.openai_faults, responses=True)),
        (GEMINI, "response_json_schema", contract.gemini_faults),
        (ANTHROPIC, "input_schema", contract.anthropic_faults),
        (GEMINI, "parameters_json_schema", contract.gemini_faults),
    ]
    for tools, key, faults in checks:
        for number, tool in enumerate(tools):
            if "properties" not in tool.get(key, {}):
                continue
            changed = deepcopy(tools)
            CHANGES[change](changed[number][key])
            if changed != tools:
                assert [fault.partition(":")[0] for fault in faults(changed)] == [tool["name"]], change
