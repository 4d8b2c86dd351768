"""The programs in docs/bridges.md run."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from agents import set_tracing_disabled
from fastmcp import Client
from toolgen.runtime import Toolkit

from . import test_bridge_to_langchain as langchain
from . import test_bridge_to_openai_agents as openai_agents
from . import test_bridge_to_pydantic_ai as pydantic_ai
from .helpers import ORDER, TOTAL, orders

pytestmark = pytest.mark.bridges

TEXT = (Path(__file__).parent.parent.parent / "docs" / "bridges.md").read_text(encoding="utf-8")


def call(number: int) -> tuple[str, Any]:
    return "create_purchase_order", ORDER | {"order_number": f"PO-2026-009{number}"}


def run(title: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the program under a title, in the namespace of the first one."""
    programs = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(programs[0], names)  # what it imports
    program = re.search(rf"^## {title}\n(?:<!--.*?-->\n)?```python\n(.*?)```", TEXT, re.DOTALL | re.MULTILINE)
    assert program is not None
    code = compile(program[1], title, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    async def do() -> None:
        if (waiting := eval(code, names)) is not None:
            await waiting

    asyncio.run(do())
    return names


def test_the_documented_agents_ask_and_order(gallery: Toolkit, capsys: pytest.CaptureFixture[str]) -> None:
    set_tracing_disabled(True)
    models: dict[str, Any] = {
        "LangChain": langchain.Model(messages=iter([langchain.says(call(1)), langchain.says()])),
        "pydantic-ai": pydantic_ai.says((call(2),)),
        "OpenAI Agents SDK": openai_agents.says([call(3)]),
    }
    before = orders(gallery)
    for number, (title, model) in enumerate(models.items(), start=1):
        run(title, {"model": model, "toolkit": gallery})
        assert orders(gallery) == before + number
        assert TOTAL in capsys.readouterr().out


def test_the_documented_server_lists_tools(gallery: Toolkit) -> None:
    server = run("FastMCP", {"toolkit": gallery})["server"]

    async def listed() -> set[str]:
        async with Client(server) as client:
            return {tool.name for tool in await client.list_tools()}

    assert asyncio.run(listed()) == set(gallery)


def test_the_documented_options_are_accepted(gallery: Toolkit) -> None:
    imports, options = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[:2]
    names: dict[str, Any] = {"toolkit": gallery}
    exec(imports + options, names)
    assert {tool.name for tool in names["tools"]} == set(gallery)
