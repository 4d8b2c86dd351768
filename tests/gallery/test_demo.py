"""`make demo` succeeds, and fails if a statement in it is not true."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples.demo import __main__ as demo
from examples.demo import narration

ROOT = Path(__file__).parents[2]


def test_the_demo_succeeds_and_shows_five_designs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert re.findall(r"^SEED (\d+)  ", done.stdout, re.MULTILINE) == ["000", "001", "002", "003", "004"]
    steps = [part.count("\n* ") for part in done.stdout.split("\nSEED ")[1:]]
    assert min(steps) >= 3, "a few steps each"
    assert done.stdout.count("  compared   identical") == 4
    assert "\033" not in done.stdout, "no colour where nobody sees it"
    assert max(len(line) for line in done.stdout.splitlines()) <= 110


def test_a_false_statement_ends_the_demo_with_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(claim())

    async def claim() -> None:
        narration.must(False, "one is two")

    monkeypatch.setattr(demo, "story", story)
    assert demo.main() == 1
    assert capsys.readouterr().err == "demo: this should be true and is not: one is two\n"


def test_quoting_a_missing_line_of_a_spec_fails() -> None:
    with pytest.raises(narration.NotTrueError, match="has a line that begins with 'colour:'"):
        narration.quote("specs/sql_query.yaml", "colour:")
