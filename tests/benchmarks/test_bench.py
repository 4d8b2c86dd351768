"""The benchmark's own assumptions, as far as they can be tested without measuring."""

from __future__ import annotations

import re
from pathlib import Path

from toolgen.compile.pipeline import analyze
from toolgen.language.targets.builtin import BASE
from toolgen.language.targets.definition import Target

from benchmarks import report
from benchmarks.corpus import specs
from benchmarks.rows import ROWS

ROOT = Path(__file__).parents[2]


def test_the_specs_are_valid() -> None:
    program = analyze(dict(specs(24)), (Target(BASE, {}),))
    assert len(program.tools) == 24
    assert not program.warnings


def test_a_target_applies_at_its_size_only() -> None:
    row = next(row for row in ROWS if row.id == "cold")
    slow = {name: [2.0] for each in ROWS if each.group == row.group for name in (each.ours, each.baseline)}
    slow[row.baseline] = [1.0]
    lines = report.table({("generate", 10): slow, ("generate", 1000): slow})
    assert [(line[1], line[-1]) for line in lines if line[0] == row.what] == [("10", ""), ("1,000", "missed")]


def test_no_other_page_has_a_ratio() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        if path.name != "performance.md":
            assert not re.findall(r"\d\.\d+ times", path.read_text("utf-8")), path.name
