"""Every adapter publishes the author's definition of every tool, compared as a whole.

`examples.contract` reads the YAML files independently. Only the losses in docs/dialects.md are allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import ListToolsResult

from examples import contract
from generated import anthropic_tools, bedrock_tools, gemini_tools, openai_tools

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
