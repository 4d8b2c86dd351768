"""Diagnostics as people and programs read them."""

from __future__ import annotations

from toolgen.cli.report.json import diagnostics_data
from toolgen.cli.report.text import render, summary_of_tests
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.source import Span
from toolgen.testing.results import ProjectReport, ToolReport

FAULT = Diagnostic(
    Span("specs/weather.yaml", 5, 5, 10),
    "unknown-field",
    "unknown field 'descripton'",
    "did you mean 'description'?",
)
TEXT = "\n\n\n\n    descripton: typo\n"


def _one(text: str, span: Span) -> list[str]:
    return render([Diagnostic(span, "bad-value", "bad")], {span.file: text}).splitlines()


def test_slow_fixtures_are_named() -> None:
    tools = [ToolReport(f"greet_{number}", calls=100, seconds=10, fixture_seconds=8) for number in range(2)]
    report = ProjectReport(tuple(tools), seed="0", package="generated", fixtures="tests/toolgen_fixtures.py")
    assert "16 of 20 s were spent in tests/toolgen_fixtures.py: prepare data once, and copy it" in (
        list(summary_of_tests(report))
    )


def test_the_format_that_the_documentation_shows() -> None:
    assert render([FAULT], {"specs/weather.yaml": TEXT}) == (
        "specs/weather.yaml:5:5: error[unknown-field] unknown field 'descripton'\n"
        "5 |     descripton: typo\n"
        "  |     ^^^^^^^^^^\n"
        "  = help: did you mean 'description'?\n"
    )


def test_carets_stand_below_wide_characters_and_tabs() -> None:
    assert _one("\t日本: x", Span("a", 1, 2, 2))[1:] == ["1 | \t日本: x", "  | \t^^^^"]
    assert _one("日本: x", Span("a", 1, 5, 1))[1:] == ["1 | 日本: x", "  |       ^"]
    assert _one("e\u0301: x", Span("a", 1, 5, 1))[1:] == ["1 | e\u0301: x", "  |    ^"]


def test_long_lines_are_shown_around_the_place() -> None:
    line = "a" * 1_000_000 + "HERE" + "b" * 1_000_000
    _, source, carets = _one(line, Span("a", 1, 1_000_001, 4))
    assert len(source) < 200
    assert source[carets.index("^") :].startswith("HERE")
    assert carets.count("^") == 4


def test_control_characters_are_replaced() -> None:
    shown = render(
        [Diagnostic(Span("a\x1b[2J.yaml", 1, 1), "bad-value", "x\x1b[2J\n\u202e", "h\x07")],
        {"a\x1b[2J.yaml": "\x1b[31mred\x85"},
    )
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\x85" not in shown
    assert "\u202e" not in shown


def test_json_has_the_same_content() -> None:
    noted = Diagnostic(FAULT.span, "enum-outside-type", "m", "h", (Note(Span("b", 1, 2, 3), "n"),))
    assert diagnostics_data([noted]) == [
        {
            "code": "enum-outside-type",
            "severity": "warning",
            "message": "m",
            "hint": "h",
            "file": "specs/weather.yaml",
            "line": 5,
            "column": 5,
            "length": 10,
            "notes": [{"message": "n", "file": "b", "line": 1, "column": 2, "length": 3}],
        }
    ]
