"""`make demo` succeeds, and fails if one character differs from its reviewed transcript."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    "lines",
    [["Total: 737.61 EUR"], []],
    ids=["another digit", "a line less"],
)
def test_one_character_that_differs_ends_the_demo_with_exit_code_1(
    golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: list[str]
) -> None:
    golden.write_text(f"{TITLE}  answer     Total: 737.60 EUR\n")
    assert shown(monkeypatch, *lines) == 1
    captured = capsys.readouterr()
    assert "are equal" not in captured.out
    assert f"demo: this run differs from {demo.FILE}:\n--- reviewed\n+++ this run\n@@" in captured.err
