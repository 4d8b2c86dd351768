"""`toolgen lint`: exit codes, baselines, fixes, named files."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

SPEC = """\
# our first tool
name: find_orders  # keep the name
description: Return the orders of a customer.
annotations: {readOnlyHint: true}
input_schema:
  type: object
  properties:
    names: {type: array, items: {type: string}, description: Names.}  # any
  $defs: {Unused: {type: string}}
"""


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
    ("settings", "said"),
    [
        ('[lint.rules]\ntitle-mising = "off"\n', "did you mean 'title-missing'?"),
        ('[lint.rules]\ntitle-missing = "loud"\n', "must be one of error, warning, info, off"),
    ],
)
def test_a_mistake_in_the_configuration_is_refused(linted: Cli, settings: str, said: str) -> None:
    (linted.root / "toolgen.toml").write_text(settings)
    done = linted("lint")
    assert done.code == 2
    assert said in done.err


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


def test_a_file_of_a_project_has_only_its_own_findings(linted: Cli) -> None:
    (linted.root / "specs/other.yaml").write_text(SPEC.replace("find_orders", "count_orders"))
    done = linted("lint", "specs/other.yaml")
    assert "specs/other.yaml" in done.out
    assert "specs/find_orders.yaml:" not in done.out.replace("note: specs/find_orders.yaml", "")
    assert linted("lint", "specs/absent.yaml").code == 2


def test_a_spec_of_five_megabytes_is_refused(linted: Cli) -> None:
    (linted.root / "specs/find_orders.yaml").write_text(SPEC + "#" * 5_000_000)
    done = linted("lint")
    assert done.code == 2
    assert "at most 4,194,304 are read" in done.err
