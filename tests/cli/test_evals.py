"""evals: the examples with `ask` as a suite for promptfoo, which `make test-promptfoo` runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli

ORDER = Path(__file__).with_name("evals.yaml").read_text("utf-8")
SEARCH = """\
name: search
description: Find articles.
input_schema: {type: object}
targets: {anthropic: {name: find}}
"""
CLOSE = "name: close_shop\ndescription: Close the shop.\nenabled: false\ninput_schema: {type: object}\n"
FILES = ["promptfooconfig.yaml", "tests.json", "tool_calls.cjs", "tools.json"]


@pytest.fixture
def shop(project: Cli) -> Cli:
    for name, text in {"order": ORDER, "search": SEARCH, "close_shop": CLOSE}.items():
        (project.root / f"specs/{name}.yaml").write_text(text)
    return project


def suite(shop: Cli, *words: str, folder: str = "evals") -> dict[str, str]:
    done = shop("export", "evals", *words)
    assert done.code == 0, done.err
    assert done.out.splitlines() == [f"{folder}/{name}" for name in FILES]
    return {name: (shop.root / folder / name).read_text() for name in FILES}


def checks(files: dict[str, str]) -> dict[str, Any]:
    (test,) = json.loads(files["tests.json"])
    return {each["metric"]: each["config"] for each in test["assert"]}


def test_a_suite_has_the_exported_tools_and_a_test_for_each_example_with_ask(shop: Cli) -> None:
    files = suite(shop)
    assert "id: openai:chat:gpt-5.5\n" in files["promptfooconfig.yaml"]
    assert json.loads(files["tools.json"]) == json.loads(shop("export", "openai-chat").out)
    (test,) = json.loads(files["tests.json"])
    assert (test["description"], test["vars"]) == ("order: bell", {"ask": "Order a bell."})
    assert checks(files) == {
        "tool": {"tool": "order"},
        "arguments": {
            "tool": "order",
            "arguments": {"article": "bell", "ship to": "Ada"},
            "defaults": {"count": 1},
        },
        "not": {"tools": ["search"]},
    }
    assert suite(shop) == files, "the same specs, the same bytes"


def test_names_are_those_that_the_provider_publishes(shop: Cli) -> None:
    files = suite(shop, "--provider", "anthropic", "-o", "tests/claude", folder="tests/claude")
    assert json.loads(files["tools.json"]) == json.loads(shop("export", "anthropic").out)
    assert checks(files)["not"] == {"tools": ["find"]}
    order = next(each for each in json.loads(files["tools.json"]) if each["name"] == "order")
    published = order["input_schema"]["properties"]
    assert published.keys() >= checks(files)["arguments"]["arguments"].keys()
    assert "ship to" not in published


@pytest.mark.parametrize("ask", ["Say {{ ask }}", "file:///etc/passwd", "package:evil:run"])
def test_asks_that_promptfoo_would_replace_are_refused(shop: Cli, ask: str) -> None:
    (shop.root / "specs/order.yaml").write_text(ORDER.replace("Order a bell.", json.dumps(ask)))
    done = shop("export", "evals")
    assert done.code == 2
    assert "specs/order.yaml:12:23: error[bad-value] promptfoo would replace " in done.err
    assert not (shop.root / "evals").exists()
