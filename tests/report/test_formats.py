"""Formats of reports: each is valid by its own rules, whatever the texts in it are."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import jsonschema_rs
import pytest
from toolgen.cli.report.entry import Entry, Report, entry_of
from toolgen.cli.report.formats import FORMATS, formatted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Span

from tests.corpora import corpus

HOSTILE = "a::error file=x::y%0A\r\n##[group]| <script>&\u202e\x1b[31m@user #1 `x` ]]> \ud800"
WARNING = Entry(
    Span("specs/a.yaml", 3, 5, 4), "warning", "title-missing", "the tool has no title", (("help", "add it"),)
)
ERROR = Entry(Span("specs/b,c:d.yaml", 1, 1), "error", "limit-tightened", "100% less", ())
ACCEPTED = Entry(
    Span("specs/a.yaml", 9, 1),
    "error",
    "tool-removed",
    "no tool",
    (("witness", '{"a": 1} was valid'), ("accepted", "a | reason"), ("help", "do not")),
    "abc",
    "a | reason",
)
REPORT = Report("lint", (WARNING, ERROR, ACCEPTED), failed=True, summary=("2 tools",), passed=("greet",))


def hostile() -> Report:
    found = entry_of(Diagnostic(Span("specs/a.yaml", 1, 1), "unknown-field", HOSTILE, HOSTILE))
    return Report("lint", (found,), failed=True)


def test_github_shows_each_finding_beside_its_line() -> None:
    assert formatted(REPORT, "github").splitlines() == [
        "::warning file=specs/a.yaml,line=3,col=5,endColumn=9,title=toolgen%3A title-missing"
        "::the tool has no title%0Ahelp: add it",
        "::error file=specs/b%2Cc%3Ad.yaml,line=1,col=1,endColumn=2,title=toolgen%3A limit-tightened::100%25 less",
    ]


def test_sarif_is_valid_and_keeps_what_is_suppressed() -> None:
    schema = json.loads(corpus("schemas/sarif-2.1.0.json").read_text())
    for report in (REPORT, hostile(), Report("lint", (), failed=False)):
        document = json.loads(formatted(report, "sarif"))
        assert [error.message for error in jsonschema_rs.Draft7Validator(schema).iter_errors(document)] == []
    results = json.loads(formatted(REPORT, "sarif"))["runs"][0]["results"]
    assert [each.get("suppressions") for each in results] == [
        None,
        None,
        [{"kind": "external", "justification": "a | reason"}],
    ]


def test_gitlab_has_an_issue_for_each_finding_that_is_left() -> None:
    issues = json.loads(formatted(REPORT, "gitlab"))
    assert [(each["check_name"], each["severity"], each["location"]) for each in issues] == [
        ("title-missing", "minor", {"path": "specs/a.yaml", "lines": {"begin": 3}}),
        ("limit-tightened", "major", {"path": "specs/b,c:d.yaml", "lines": {"begin": 1}}),
    ]
    assert len({each["fingerprint"] for each in issues}) == 2


def test_junit_counts_errors_as_failures_and_tools_as_passed() -> None:
    suite = ElementTree.fromstring(formatted(REPORT, "junit"))[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "skipped": "2",
    }
    assert ElementTree.fromstring(formatted(hostile(), "junit")) is not None


def test_markdown_is_one_comment_in_which_texts_do_nothing() -> None:
    assert formatted(REPORT, "markdown") == (
        "**toolgen lint**: 1 error, 1 warning, 1 accepted\n"
        "\n"
        "| where | what |\n"
        "|---|---|\n"
        "| `specs/b,c:d.yaml:1:1` | error\\[limit-tightened\\] 100% less |\n"
        "| `specs/a.yaml:3:5` | warning\\[title-missing\\] the tool has no title; add it |\n"
        '| `specs/a.yaml:9:1` | accepted\\[tool-removed\\] no tool; a \\| reason; {"a": 1} was valid |\n'
        "\n"
        "2 tools\n"
    )
    text = formatted(hostile(), "markdown")
    assert "<script>" not in text
    assert "@user" not in text.replace("@<!-- -->", "")


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_format_prints_a_control_character(form: str) -> None:
    text = formatted(hostile(), form)
    assert [char for char in text if ord(char) < 32 and char not in "\n\t"] == []
    assert "\u202e" not in text
    # Azure and TeamCity look for commands anywhere in a line, GitHub for those of toolgen
    assert form == "github" or "##[" not in text
