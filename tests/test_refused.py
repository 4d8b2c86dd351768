"""Every diagnostic as the user sees it: `tests/cases/refused/<code>/` and `tests/cases/warned/<code>/`.

A case is `<case>.yaml` and `<case>.out`, or `project/` and `case.out` if it needs several files.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.cli.linting import lint_specs
from toolgen.cli.report.text import render, render_entries
from toolgen.compile.pipeline import bind
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.definition import choose_references
from toolgen.language.codes import CODES, lint_codes
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS

CASES = Path(__file__).parent / "cases"


def _texts(case: Path) -> dict[str, bytes]:
    if case.is_file():
        return {case.name: case.read_bytes()}
    return {path.relative_to(case).as_posix(): path.read_bytes() for path in sorted(case.rglob("*.yaml"))}


def _report(texts: dict[str, bytes], code: str) -> tuple[str, str]:
    """Return whether the case was refused, and the report that the user reads.

    Of the rules that only `toolgen lint` runs, it has the findings with the case's code.
    """
    try:
        program = adapt(bind(texts, is_whole=True), TARGETS)
        program = choose_references(program, PackageSettings())
        lower(program, PackageSettings())
    except SpecErrors as errors:
        return "refused", render(errors.diagnostics, texts)
    if any(warning.code == code for warning in program.warnings):
        return "warned", render(program.warnings, texts)
    every_rule = LintSettings(rules=dict.fromkeys(lint_codes(), "warning"))
    report = lint_specs(texts, TARGETS, PackageSettings(specs=""), every_rule).report
    return "warned", render_entries([each for each in report.entries if each.code == code], texts)


def _cases() -> list[Path]:
    found = [*CASES.glob("refused/*/*.yaml"), *CASES.glob("refused/*/project")]
    found += [*CASES.glob("warned/*/*.yaml"), *CASES.glob("warned/*/project")]
    return sorted(found)


@pytest.mark.parametrize("case", _cases(), ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_case(case: Path, record: bool) -> None:
    fate, report = _report(_texts(case), case.parent.name)
    expected = case.with_suffix(".out") if case.is_file() else case.with_name("case.out")
    assert fate == case.parent.parent.name
    assert f"[{case.parent.name}]" in report, "the folder is named for a code that the case does not show"
    if record:
        expected.write_text(report, encoding="utf-8", newline="\n")
    assert report == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_case(code: str) -> None:
    folder = CASES / ("refused" if CODES[code].severity == "error" else "warned") / code
    assert list(folder.glob("*.out")), f"no case shows {code}: write {folder}/case.yaml, run pytest --record"


def test_every_case_is_named_for_a_code() -> None:
    assert {path.parent.name for path in _cases()} <= CODES.keys()
