"""The benchmark's own assumptions, as far as they can be tested without measuring."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema_rs
import pytest
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.language.package import PackageSettings
from toolgen.language.target import Target
from toolgen.language.targets.builtin import BASE

from benchmarks import report
from benchmarks.corpus import specs
from benchmarks.measure import Case, interleave, ratio
from benchmarks.process import Wrong, environment, run
from benchmarks.rows import ROWS
from benchmarks.values import answer, arguments

ROOT = Path(__file__).parents[2]


def test_a_spec_is_the_same_among_few_and_among_many() -> None:
    assert list(specs(12))[:5] == list(specs(4))


def test_the_specs_are_valid() -> None:
    program = analyze(dict(specs(24)), (Target(BASE, {}),))
    assert len(program.tools) == 24
    assert not program.warnings


@pytest.mark.parametrize("number", range(6))
def test_requests_and_answers_are_valid(number: int) -> None:
    package = lower(analyze(dict(specs(6)), (Target(BASE, {}),)), PackageSettings())
    definition = next(tool.definition for tool in package.tools if tool.wire_name.endswith(f"_{number:04}"))
    assert jsonschema_rs.validator_for(definition["input_schema"]).is_valid(arguments(number))
    assert jsonschema_rs.validator_for(definition["output_schema"]).is_valid(answer(number))


def test_each_round_begins_with_another_case() -> None:
    order: list[str] = []

    def case(name: str) -> Case:
        return Case(name, lambda: float(order.append(name) is None))

    samples = interleave([case("a"), case("b"), case("c")], 3, "test", warm_up=False)
    assert "".join(order) == "abcbcacab"
    assert samples == {"a": [1.0] * 3, "b": [1.0] * 3, "c": [1.0] * 3}


def test_ratios_are_computed_within_each_round() -> None:
    assert ratio([1.0, 10.0, 4.0], [1.0, 5.0, 1.0]).median == 2.0


def test_a_target_applies_at_its_size_only() -> None:
    row = next(row for row in ROWS if row.id == "cold")
    slow = {name: [2.0] for each in ROWS if each.group == row.group for name in (each.ours, each.baseline)}
    slow[row.baseline] = [1.0]
    lines = report.table({("generate", 10): slow, ("generate", 1000): slow})
    assert [(line[1], line[-1]) for line in lines if line[0] == row.what] == [("10", ""), ("1,000", "missed")]


def test_a_failing_command_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(Wrong, match="ended with 1, not 0"):
        run(["false"], tmp_path, environment(tmp_path))


def test_no_other_page_has_a_ratio() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        if path.name != "performance.md":
            assert not re.findall(r"\d\.\d+ times", path.read_text("utf-8")), path.name
