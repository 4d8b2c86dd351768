"""Suites of `toolgen export evals`, run unmodified by promptfoo with a scripted model, whose calls `toolgen mock` answers."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

from tests.testing.mock_samples import write_specs

from .conftest import PACKAGES
from .scripted_model import Script, ScriptedModel, asked, scripted_model

pytestmark = pytest.mark.promptfoo

ROOT = Path(__file__).parents[2]
MAIN = PACKAGES / "node_modules/promptfoo/dist/src/main.js"
TEMPLATE = '{{ 7*7 }} {{ env.HOME }} {% raw %} {# no #} "quoted" \\ file://x'
"""A text that would be another one if promptfoo took it for a template, or for part of a JSON text."""
ORDER = f"""\
name: order
description: {json.dumps("Order articles. " + TEMPLATE)}
input_schema:
  type: object
  additionalProperties: false
  required: [article]
  properties:
    article: {{type: string, description: {json.dumps(TEMPLATE)}}}
    count: {{type: integer, default: 1}}
    "ship to": {{type: string}}
examples:
  - {{name: bell, ask: Order a bell., not: [search, close_shop], input: {{article: bell}}, output: 1}}
  - {{name: two, ask: Order two bells for Ada., input: {{article: bell, count: 2, "ship to": Ada}}, output: 2}}
  - {{name: odd, ask: {json.dumps(TEMPLATE)}, input: {{article: {json.dumps(TEMPLATE)}}}, output: 3}}
"""
SEARCH = Path(__file__).with_name("search.yaml").read_text("utf-8")
CLOSE = "name: close_shop\ndescription: Close the shop.\ninput_schema: {type: object}\nenabled: false\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_specs(tmp_path, order=ORDER, search=SEARCH, close_shop=CLOSE)


def write_suite(project: Path, folder: Path, provider: str) -> None:
    words = ["export", "evals", "--provider", provider, "-o", str(folder)]
    subprocess.run(
        [sys.executable, "-m", "toolgen", "-C", str(project), *words], check=True, capture_output=True
    )


def run_suite(folder: Path, model: ScriptedModel, environment: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """Run promptfoo in the folder of a suite; return its exit code, and the results by their descriptions."""
    done = subprocess.run(
        ["node", str(MAIN), "eval", "--no-cache", "--no-table", "-o", "results.json"],
        cwd=folder,
        env={**environment, **model.environment()},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (folder / "results.json").exists(), done.stdout + done.stderr
    results = json.loads((folder / "results.json").read_text())["results"]["results"]
    return done.returncode, {each["testCase"]["description"]: each for each in results}


def faults(result: dict[str, Any]) -> dict[str, str]:
    """Return metric → reason of the checks that failed."""
    checks = result["gradingResult"]["componentResults"]
    return {each["assertion"]["metric"]: each["reason"] for each in checks if not each["pass"]}


def examples_of(specs: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return ask → name of the tool, and example."""
    tools = [yaml.safe_load(path.read_text()) for path in sorted(specs.glob("*.yaml"))]
    return {
        each["ask"]: (tool["name"], each)
        for tool in tools
        for each in tool.get("examples", ())
        if "ask" in each
    }


def mock_answers(project: Path, calls: list[tuple[str, dict[str, Any]]], *flags: str) -> list[Any]:
    """Make the calls on `toolgen mock`; return how each was answered."""

    async def agree(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"confirm": True})

    async def run() -> list[Any]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "toolgen", "mock", *flags], cwd=project
        )
        async with asyncio.timeout(120), Client(server, elicitation_callback=agree) as client:
            return [(await client.call_tool(name, given)).meta["toolgen/mock"] for name, given in calls]

    return asyncio.run(run())


@pytest.mark.parametrize(
    "provider", ["openai:chat:scripted", "openai:responses:scripted", "anthropic:messages:scripted"]
)
def test_a_model_that_makes_the_calls_of_the_examples_passes(
    shop: Path, tmp_path: Path, environment: dict[str, str], provider: str
) -> None:
    """Its calls are those that the examples publish to the provider: renamed, with nulls and defaults."""
    examples = examples_of(shop / "specs")
    script: dict[str, list[tuple[str, str]]] = {}
    for ask, (tool, example) in examples.items():
        arguments = dict(example["input"])
        if provider.startswith("anthropic"):
            tool = "find" if tool == "search" else tool
            arguments = {name.replace(" ", "_"): value for name, value in arguments.items()}
        elif tool == "order" and "count" not in arguments:
            arguments |= {"count": 1, "ship to": None}
        script[ask] = [(tool, json.dumps(arguments))]
    write_suite(shop, tmp_path / "suite", provider)
    with scripted_model(script) as model:
        code, results = run_suite(tmp_path / "suite", model, environment)
    assert {name: faults(each) for name, each in results.items()} == {name: {} for name in results}
    assert code == 0
    assert len(results) == len(examples) == 5
    assert {asked(body) for body in model.requests} == examples.keys()
    tools = json.loads((tmp_path / "suite/tools.json").read_text())
    assert all(body["tools"] == tools for body in model.requests)
    made = [(tool, example["input"]) for tool, example in examples.values()]
    assert mock_answers(shop, made) == [{"example": example["name"]} for _, example in examples.values()]


def test_a_wrong_model_fails_with_the_reason(shop: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    script: Script = {
        "Order a bell.": [("order", '{"article": "bell"}'), ("search", '{"words": ["bell"]}')],
        "Order two bells for Ada.": [("order", '{"article": "bell", "count": 3, "ship to": "Ada"}')],
        TEMPLATE: [("order", '{"article": "49"')],
        "Do you have bells?": [("order", '{"article": "bell"}')],
    }
    write_suite(shop, tmp_path / "suite", "openai:chat:scripted")
    with scripted_model(script) as model:
        code, results = run_suite(tmp_path / "suite", model, environment)
    assert code == 100  # promptfoo's code for tests that failed
    found = {name: faults(each) for name, each in results.items()}
    assert found.pop("order: odd")["arguments"].endswith(", got no JSON")
    assert found == {
        "order: bell": {"not": "expected no call of search"},
        "order: two": {"arguments": "$.count: expected 2, got 3"},
        "search: bells": {
            "tool": "expected a call of search, got order",
            "arguments": "search is not called",
            "not": "expected no call of order",
        },
        "search: nothing": {
            "tool": "expected a call of search, got no tool",
            "arguments": "search is not called",
        },
    }


def test_the_gallery_is_a_suite(tmp_path: Path, environment: dict[str, str]) -> None:
    examples = examples_of(ROOT / "specs")
    script = {ask: [(tool, json.dumps(each["input"]))] for ask, (tool, each) in examples.items()}
    write_suite(ROOT, tmp_path, "openai")
    with scripted_model(script) as model:
        code, results = run_suite(tmp_path, model, environment)
    assert (code, len(results)) == (0, len(examples))
    made = [(tool, example["input"]) for tool, example in examples.values()]
    answers = mock_answers(ROOT, made, "--scopes", "orders:write,stock:write")
    assert answers == [{"example": example["name"]} for _, example in examples.values()]
