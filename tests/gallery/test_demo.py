"""`make demo` succeeds, and fails if one character differs from its reviewed transcript."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest

from examples.demo import __main__ as demo
from examples.demo import narration
from tests.preloaded import python_command

ROOT = Path(__file__).parents[2]
TITLE = "toolgen: one reviewed YAML file per tool; types, servers and checks are generated\n"


def shown(monkeypatch: pytest.MonkeyPatch, *lines: str, options: tuple[str, ...] = ()) -> int:
    """Run a demo that shows some lines; return its exit code."""

    async def story() -> None:
        for line in lines:
            narration.tell("answer", line)

    monkeypatch.setattr(demo, "story", story)
    return demo.main([*options])


@pytest.fixture
def golden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The golden of a test."""
    file = tmp_path / "transcript.txt"
    monkeypatch.setattr(narration, "GOLDEN", file)
    return file


def test_the_demo_succeeds_and_shows_five_designs() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [*python_command(environment), "-m", "examples.demo"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert re.findall(r"^SEED (\d+)  ", done.stdout, re.MULTILINE) == ["000", "001", "002", "003", "004"]
    lines = narration.GOLDEN.read_text(encoding="utf-8").splitlines()
    *shown, last = done.stdout.splitlines()
    assert last == f"All {len(lines)} lines are equal to {demo.FILE}, except for call ids and times."
    assert len(shown) == len(lines) + 2
    assert "\033" not in done.stdout, "no colour where nobody sees it"
    assert max(len(line) for line in shown) <= 110


def test_a_recorded_transcript_is_compared_with_the_next_run(
    golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(monkeypatch, "Total: 737.60 EUR", options=("--record",)) == 0
    assert golden.read_text() == f"{TITLE}  answer     Total: 737.60 EUR\n"
    assert shown(monkeypatch, "Total: 737.60 EUR") == 0
    assert capsys.readouterr().out.endswith(
        f"All 2 lines are equal to {demo.FILE}, except for call ids and times.\n"
    )


@pytest.mark.parametrize(
    "lines",
    [["Total: 737.61 EUR"], [], ["Total: 737.60 EUR", "x"], ["Total: 737.60 EUR", ""], ["total: 737.60 EUR"]],
    ids=["another digit", "a line less", "a line more", "an empty line more", "another letter"],
)
def test_one_character_that_differs_ends_the_demo_with_exit_code_1(
    golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str]
) -> None:
    golden.write_text(f"{TITLE}  answer     Total: 737.60 EUR\n")
    assert shown(monkeypatch, *lines) == 1
    captured = capsys.readouterr()
    assert "are equal" not in captured.out
    assert f"demo: this run differs from {demo.FILE}:\n--- reviewed\n+++ this run\n@@" in captured.err


def test_without_a_golden_the_demo_fails(
    golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(monkeypatch, "Total: 737.60 EUR") == 1
    assert "+  answer     Total: 737.60 EUR" in capsys.readouterr().err


def test_call_ids_may_differ_but_not_which_lines_share_one(
    golden: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c = "0123456789abcdef", "123456789abcdef0", "23456789abcdef01"
    assert shown(monkeypatch, a, b, f"{b}, 0.003 s", options=("--record",)) == 0
    assert golden.read_text() == (
        f"{TITLE}  answer     <call 1>\n  answer     <call 2>\n  answer     <call 2>, <time> s\n"
    )
    assert shown(monkeypatch, b, c, f"{c}, 1.250 s") == 0
    assert shown(monkeypatch, a, b, f"{c}, 0.003 s") == 1
    assert shown(monkeypatch, a, b, f"{a}, 0.003 s") == 1


def test_a_false_statement_ends_the_demo_with_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(claim())

    async def claim() -> None:
        narration.must(False, "one is two")

    monkeypatch.setattr(demo, "story", story)
    assert demo.main([]) == 1
    assert capsys.readouterr().err == "demo: this should be true and is not: one is two\n"


def test_quoting_a_missing_line_of_a_spec_fails() -> None:
    with pytest.raises(narration.NotTrueError, match="has a line that begins with 'colour:'"):
        narration.quote("specs/sql_query.yaml", "colour:")
