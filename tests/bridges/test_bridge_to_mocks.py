"""Mock tools through every framework: an example, a declared error and a made-up answer, without implementations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import Toolkit
from toolgen.testing import mock_toolkit

from tests.testing.mock_samples import ORDER, write_specs

from . import (
    test_bridge_to_fastmcp,
    test_bridge_to_langchain,
    test_bridge_to_openai_agents,
    test_bridge_to_pydantic_ai,
)

pytestmark = pytest.mark.bridges

INPUTS: list[dict[str, Any]] = [{"article": "brakes", "count": 2}, {"article": "saddle"}, {"article": "bell"}]
CALLS = [("order", each) for each in INPUTS]


@pytest.fixture
def mock(tmp_path: Path) -> Toolkit:
    """The mock of a shop."""
    return mock_toolkit(write_specs(tmp_path / "shop", order=ORDER))


def check(texts: list[str]) -> None:
    """Check the answers to `INPUTS`."""
    assert json.loads(texts[0]) == {"number": 7, "article": "brakes", "price": 12.5}
    assert texts[1].startswith("Error [out_of_stock]: None is left.")
    made_up: Mapping[str, Any] = json.loads(texts[2])
    assert (made_up.keys(), made_up["article"]) == ({"number", "article", "price"}, "bell")


def test_a_langchain_agent(mock: Toolkit) -> None:
    framework = test_bridge_to_langchain
    graph = framework.agent(framework.langchain_tools(mock), framework.says(*CALLS))
    found = framework.answers(framework.start(graph))
    assert [each.status for each in found] == ["success", "error", "success"]
    check([str(each.content) for each in found])


def test_a_pydantic_ai_agent(mock: Toolkit) -> None:
    framework = test_bridge_to_pydantic_ai
    found = framework.answers(framework.go(framework.agent(mock, tuple(CALLS))))
    assert [each.outcome for each in found] == ["success", "failed", "success"]
    check([each.content if isinstance(each.content, str) else json.dumps(each.content) for each in found])


def test_an_agent_of_the_openai_agents_sdk(mock: Toolkit) -> None:
    framework = test_bridge_to_openai_agents
    found = framework.outputs(framework.run(framework.shop(mock, CALLS)))
    check([str(each.output) for each in found])
    data = [each.custom_data["toolgen"] for each in found if each.custom_data]
    assert data[0]["metadata"]["toolgen/mock"] == {"example": "brakes"}


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_a_server_of_fastmcp(mock: Toolkit, era: str) -> None:
    async def call_all() -> list[Any]:
        framework = test_bridge_to_fastmcp
        async with framework.Client(framework.server(mock), mode=era) as client:
            return [await client.call_tool(*each, raise_on_error=False) for each in CALLS]

    results = asyncio.run(call_all())
    assert [each.is_error for each in results] == [False, True, False]
    assert results[0].meta["toolgen/mock"] == {"example": "brakes"}
    assert results[2].structured_content["article"] == "bell"
    check([each.content[0].text for each in results])
