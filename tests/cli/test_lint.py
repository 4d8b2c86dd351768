"""`toolgen lint`: exit codes, baselines, fixes, named files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

SPEC = Path(__file__).with_name("lint.yaml").read_text("utf-8")


@pytest.fixture
def linted(empty: Cli) -> Cli:
    (empty.root / "toolgen.toml").write_text('specs = "specs"\n')
    (empty.root / "specs").mkdir()
    (empty.root / "specs/find_orders.yaml").write_text(SPEC)
    return empty


def test_a_level_of_the_configuration_makes_a_warning_an_error(linted: Cli) -> None:
    (linted.root / "toolgen.toml").write_text('[lint.rules]\ntitle-missing = "error"\n')
    done = linted("lint")
    assert (done.code, "error[title-missing]" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("flags", "severities"),
    [
        ((), set()),
        (("--strict",), {"warning"}),
        (("--level", "warning"), {"warning"}),
        (("--level", "info"), {"warning", "info"}),
    ],
)
def test_findings_fail_from_a_level_on(linted: Cli, flags: tuple[str, ...], severities: set[str]) -> None:
    (linted.root / "toolgen.toml").write_text('[lint.rules]\ntitle-missing = "info"\n')
    entries = json.loads(linted("lint", "--format", "json").out)["findings"]
    done = linted("lint", *flags, "--format", "junit")
    failing = sum(each["severity"] in severities for each in entries)
    assert {each["severity"] for each in entries} == {"warning", "info"}
    assert done.code == int(failing > 0)
    assert f'failures="{failing}"' in done.out


def test_with_a_baseline_only_new_findings_fail(linted: Cli) -> None:
    assert linted("lint", "--write-baseline").code == 0
    assert linted("lint").code == 0
    path = linted.root / "specs/find_orders.yaml"
    path.write_text("\n\n" + SPEC)  # other lines, and the same findings
    assert (linted("lint").code, linted("lint").out) == (0, "")
    path.write_text(SPEC.replace("items: {type: string}, ", ""))
    done = linted("lint")
    assert done.code == 1
    assert "array-without-items" in done.out
    assert "title-missing" not in done.out


@pytest.mark.parametrize("text", ['{"toolgen-lint-baseline": 2, "findings": []}', "[]", "{", '{"a": 1}'])
def test_a_baseline_that_is_none_is_refused(linted: Cli, text: str) -> None:
    (linted.root / "lint-baseline.json").write_text(text)
    done = linted("lint")
    assert done.code == 2
    assert "error[invalid-baseline]" in done.err


def test_fix_keeps_comments_and_is_done_at_once(linted: Cli) -> None:
    path = linted.root / "specs/find_orders.yaml"
    assert linted("lint", "--fix").code == 0
    fixed = path.read_text()
    expected = SPEC.replace("the name\n", "the name\ntitle: Find orders\n")
    assert fixed == expected.replace("  $defs: {Unused: {type: string}}\n", "")
    assert linted("lint", "--fix").err == "1 tool: no findings\n"
    assert path.read_text() == fixed
