"""Tokens are those that js-tiktoken counts, on every published tool: `make test-tokens`. Needs npm."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from toolgen.changes.budget import O200K, compact_text, measure_in

from tests import npm
from tests.corpora import at_least, corpus

pytestmark = pytest.mark.tokens

PACKAGES = Path(__file__).parents[2] / ".tiktoken"
TIKTOKEN = "js-tiktoken@1.0.21"
OLDEST_NODE = (18,)
# texts are encoded as texts, even where they name a special token
SCRIPT = """
import { readFileSync } from "node:fs";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
const encoder = new Tiktoken(o200k);
const texts = JSON.parse(readFileSync(process.argv[2], "utf-8"));
console.log(JSON.stringify(texts.map((text) => encoder.encode(text, [], []).length)));
"""
UNUSUAL = [
    "<|endoftext|>",
    "  \t\r\n\n x",
    "it's WE'LL don\u2019t",
    "日本語のテキスト",
    "\U0001f600\U0001f3fd é e\u0301",
    "1234567 ½ ٣",
]


def test_tokens_are_those_of_js_tiktoken(tmp_path: Path) -> None:
    lines = corpus("mcp_tools.public.jsonl").read_text(encoding="utf-8").splitlines()
    values = [*(json.loads(line) for line in lines), *UNUSUAL]
    path = npm.node_path(PACKAGES, OLDEST_NODE)
    npm.install(PACKAGES, TIKTOKEN, path=path)
    script = PACKAGES / "count.mjs"
    script.write_text(SCRIPT)
    (tmp_path / "texts.json").write_text(json.dumps([compact_text(value) for value in values]))
    done = subprocess.run(
        ["node", script, tmp_path / "texts.json"],
        capture_output=True,
        check=True,
        env={**os.environ, "PATH": path},
    )
    measure = measure_in(O200K)
    assert [measure(value) for value in values] == json.loads(done.stdout)
    assert len(lines) >= at_least("mcp_tools.public.jsonl", 1236)
