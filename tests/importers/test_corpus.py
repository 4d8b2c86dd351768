"""`make corpus` on servers of the corpus, and on calls with known results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora import corpus, is_shared
from tools.corpus.mcp import measure_mcp
from tools.corpus.openai import measure_openai

TOOLS = "mcp_tools.public.jsonl"
SERVERS = (
    ["redis", "server-everything", "server-filesystem"] if is_shared(TOOLS) else ["shop", "notes", "clock"]
)
pytestmark = pytest.mark.usefixtures("cache")


def test_differences_are_found(tmp_path: Path) -> None:
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    calls = [
        {"entry": "good", "arguments": {"n": 1, "more": [1.0, None]}, "valid": True},
        {"entry": "not good", "arguments": {"n": "x"}, "valid": True},
        {"entry": "bad", "arguments": {}, "valid": False, "errors": [": 'n' is a required property"]},
        {"entry": "not bad", "arguments": {"n": 2}, "valid": False},
        {"entry": "elsewhere", "arguments": {"n": "x"}, "valid": False, "errors": ["m/0: 'x' is wrong"]},
    ]
    path = tmp_path / "f.jsonl"
    path.write_text(json.dumps({"function": {"name": "f", "parameters": parameters}, "calls": calls}))
    score, made_up = measure_openai(path)
    assert {name: (tally.held, tally.tried) for name, tally in score.tallies.items()} == {
        "imported": (1, 1), "published identical": (0, 0), "valid accepted": (1, 2), "invalid refused": (2, 3),
        "right path": (1, 2), "values unchanged": (1, 1), "validators agree": (0, 0),
    }  # fmt: skip
    assert made_up["values unchanged"].held > 0
    assert made_up.misses == []


@pytest.mark.parametrize("source", SERVERS)
def test_servers_of_the_corpus_have_no_differences(source: str, tmp_path: Path) -> None:
    text = corpus(TOOLS).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if json.loads(line)["source"] == source]
    path = tmp_path / "tools.jsonl"
    path.write_text("\n".join(lines))
    score, made_up = measure_mcp(path)
    assert score.tools == len(lines) > 0
    assert score.misses == []
    assert made_up.tools >= score.tools
    assert made_up.misses == []
