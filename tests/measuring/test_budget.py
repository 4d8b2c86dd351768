"""Sizes are those of what is published, in each unit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from toolgen.changes.budget import Budget, Limits, measure_budget, text_measures
from toolgen.project.building.exports import tools_of_format
from toolgen.project.building.project_build import read_inputs

from tests.testing.mock_samples import write_specs

FULL = (Path(__file__).parent.parent / "cases/accepted/everything/spec.yaml").read_text()
PRICES = Path(__file__).with_name("budget.yaml").read_text("utf-8")
PLAIN = "name: plain\ndescription: Do it.\ninput_schema: {type: object}\n"
FORMATS = {
    "mcp": "mcp",
    "openai": "openai-chat",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return write_specs(tmp_path, everything=FULL, prices=PRICES, plain=PLAIN)


def measured(root: Path, unit: str = "bytes") -> Budget:
    return measure_budget(str(root), unit=unit, limits=Limits())


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def exported(root: Path, target: str) -> Any:
    return tools_of_format(read_inputs(str(root)), FORMATS[target]).document


def test_bytes_are_those_of_the_exported_definitions(root: Path) -> None:
    # a deferred tool, for which Anthropic gets one that searches
    (root / "specs/everything.yaml").unlink()
    budget = measured(root)
    for target in ("mcp", "openai", "anthropic"):
        document = exported(root, target)
        tools = document["tools"] if target == "mcp" else document
        assert budget.total[target] == len(compact(document).encode())
        for tool in tools:
            name = tool.get("name") or tool["function"]["name"]
            assert budget.tools[name][target] == len(compact(tool).encode())
    (gemini,) = exported(root, "gemini")
    assert budget.total["gemini"] == len(compact(gemini["function_declarations"]).encode())
    assert budget.total["bedrock"] == len(compact(exported(root, "bedrock")["tools"]).encode())


def test_tokens_are_those_of_each_definition(root: Path) -> None:
    bpe_openai = pytest.importorskip("bpe_openai")
    (root / "specs/everything.yaml").unlink()
    encode = bpe_openai.get_encoding("o200k_base").encode_ordinary
    budget = measured(root, "o200k")
    for tool in exported(root, "mcp")["tools"]:
        assert budget.tools[tool["name"]]["mcp"] == len(encode(compact(tool)))
    assert budget.total["mcp"] == sum(each["mcp"] for each in budget.tools.values())


@pytest.mark.parametrize(
    "text", ["tool " * 250_000, "\U0010abcd" * 60_000], ids=["words", "four tokens each"]
)
def test_tokens_of_texts_that_the_encoder_refuses_are_counted(text: str) -> None:
    count = text_measures()["o200k"]
    assert count(text) == pytest.approx(count(text[:10_000]) * len(text) / 10_000, rel=0.001)
