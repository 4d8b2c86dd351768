"""`toolgen budget` and `toolgen list --ask`: reports, limits, baselines, and what is wrong with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Cli

ASKED = """\
name: {name}
description: {description}
input_schema: {{type: object}}
examples: [{{name: one, ask: {ask}, input: {{}}}}]
"""


@pytest.fixture
def project(empty: Cli) -> Cli:
    (empty.root / "toolgen.toml").write_text('targets = ["mcp", "openai"]\n')
    empty.spec("greet")
    return empty


def sizes(project: Cli, *words: str) -> Any:
    done = project("budget", "--format", "json", *words)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_json_has_the_documented_keys(project: Cli) -> None:
    data = sizes(project)
    assert list(data) == ["tools", "total", "unit"]
    (tool,) = data["tools"]
    assert tool["tool"] == "greet"
    assert data["total"] == {"mcp": tool["targets"]["mcp"] + 12, "openai": tool["targets"]["openai"] + 2}
    assert data["unit"] == "bytes"


def test_the_first_line_says_what_models_read(project: Cli) -> None:
    size = sizes(project)["total"]["mcp"]
    done = project("budget")
    assert done.out.splitlines()[0] == f"models read {size / 1000:.1f} kB before the first question"


def test_a_baseline_is_written_and_compared(project: Cli) -> None:
    assert "wrote toolgen.budget.json: 1 tool" in project("budget", "--write-baseline").err
    assert project("budget").code == 0
    path = project.spec("greet")
    path.write_text(path.read_text().replace("Say hello", "Say a friendly hello"))
    done = project("budget")
    assert done.code == 1
    assert "error[budget-grew] 'greet' grew: bytes for mcp: " in done.err
    assert done.err.count("(+11)") == 2
    assert project("budget", "--write-baseline").code == 0
    assert project("budget").code == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"toolgen_budget": 2, "unit": "bytes", "tools": {}}',
            "is not a baseline in the format 1, which this toolgen reads",
        ),
        ("<<<<<<< ours\n", "1:1: not JSON"),
    ],
    ids=["version", "conflict"],
)
def test_another_baseline_is_refused(project: Cli, text: str, message: str) -> None:
    (project.root / "toolgen.budget.json").write_text(text)
    done = project("budget")
    assert done.code == 2
    assert "error[bad-baseline]" in done.err
    assert message in done.err
    assert done.out == ""


@pytest.mark.parametrize("flag", ["--max", "--max-total"])
def test_limits_of_the_command_line(project: Cli, flag: str) -> None:
    size = max(sizes(project)["total"].values())
    assert project("budget", flag, str(size)).code == 0
    done = project("budget", flag, "100")
    assert done.code == 1
    assert "error[budget-exceeded]" in done.err
    assert "100 bytes" in done.err or "more than 100" in done.err


def test_confusions_name_the_siblings(empty: Cli) -> None:
    (empty.root / "toolgen.toml").write_text('targets = ["mcp"]\n')
    asks = {
        "refund": ("Pay money back.", "Pay back the money of order 7"),
        "cancel": ("Cancel an order.", "Give the money of order 7 back"),
    }
    for name, (description, ask) in asks.items():
        empty.spec(name, ASKED.format(name=name, description=description, ask=ask))
    done = empty("budget")
    assert done.code == 0
    assert "2 of 2 asks find their tool among the first 5" in done.out
    assert done.out.splitlines()[-1].split() == ["cancel", "refund", "1"]


def test_search_prints_the_best_first(empty: Cli) -> None:
    (empty.root / "toolgen.toml").write_text("")
    empty.spec("greet")
    empty.spec(
        "talk",
        ASKED.format(name="talk", description='"Say something.\\n\\nMore."', ask="x"),
    )
    done = empty("list", "--ask", "say hello")
    assert done.code == 0
    assert [line.split()[1] for line in done.out.splitlines()] == ["greet", "talk"]
    assert done.out.splitlines()[1].endswith("Say something.")
    data = json.loads(empty("list", "--ask", "say hello", "--limit", "1", "--format", "json").out)
    assert data["query"] == "say hello"
    assert [each["tool"] for each in data["tools"]] == ["greet"]
    assert data["tools"][0]["summary"] == "Say hello to somebody."


def test_search_without_a_find_exits_with_1(project: Cli) -> None:
    done = project("list", "--ask", "zebra")
    assert (done.code, done.out) == (1, "")
    assert "no tool has any of these words" in done.err
    done = project("list", "--ask", "zebra", "--format", "json")
    assert (done.code, json.loads(done.out)["tools"]) == (1, [])
