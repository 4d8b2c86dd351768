"""SARIF with a planted finding of every rule: valid, described, and recognised again after an edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema_rs
from toolgen.cli.linting import lint_specs
from toolgen.cli.report.formats import formatted
from toolgen.language.codes import CODES, lint_codes
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings

from tests.corpora import corpus
from tests.models.helpers import TARGETS
from tests.test_refused import CASES

REMARK = b"# A remark.\n\n"


def planted() -> Mapping[str, dict[str, bytes]]:
    """Return the specs by rule: each case of `tests/cases/warned`, with the rule as the folder."""
    found: dict[str, dict[str, bytes]] = {}
    for path in sorted(CASES.glob("warned/*/case.yaml")):
        found[path.parent.name] = {path.name: path.read_bytes()}
    for folder in sorted(CASES.glob("warned/*/project")):
        files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.yaml"))}
        found.setdefault(folder.parent.name, {name: path.read_bytes() for name, path in files.items()})
    return found


def sarif(files: Mapping[str, bytes], folder: str) -> dict[str, Any]:
    every_rule = LintSettings(rules=dict.fromkeys(lint_codes(), "warning"))
    settings = PackageSettings(specs=folder)
    document: dict[str, Any] = json.loads(
        formatted(lint_specs(files, TARGETS, settings, every_rule).report, "sarif")
    )
    return document


def sarif_validator() -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(json.loads(corpus("schemas/sarif-2.1.0.json").read_text()))


def results(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = document["runs"][0]["results"]
    return sorted((each["ruleId"], each["partialFingerprints"]["toolgen/v1"]) for each in found)


def test_a_finding_of_every_rule_is_valid_and_described() -> None:
    is_valid = sarif_validator().is_valid
    shown: dict[str, dict[str, Any]] = {}
    for code, files in planted().items():
        document = sarif(files, f"specs/{code}")
        assert is_valid(document), code
        (run,) = document["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"])
        shown |= {
            rule["id"]: rule for rule in rules if any(each["ruleId"] == rule["id"] for each in run["results"])
        }
    assert shown.keys() == set(lint_codes())
    assert {code: rule["shortDescription"]["text"] for code, rule in shown.items()} == {
        code: CODES[code].title for code in shown
    }


def test_fingerprints_stay_when_lines_move_and_other_parts_change() -> None:
    for code, files in planted().items():
        edited = {name: REMARK + text + b"x-owner: another team\n" for name, text in files.items()}
        assert results(sarif(edited, "specs")) == results(sarif(files, "specs")), code
