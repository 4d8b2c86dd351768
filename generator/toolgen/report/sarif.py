"""What commands have found, as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import quote

from toolgen.compat.finding import Finding
from toolgen.report.entry import entry_of

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def findings_sarif(findings: Iterable[Finding]) -> dict[str, Any]:
    """Return one run with a result for each finding."""
    found = list(findings)
    codes = sorted({each.code for each in found})
    driver = {"name": "toolgen", "version": version("toolgen"), "rules": [{"id": code} for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, codes.index(each.code)) for each in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    entry = entry_of(finding)
    lines = [entry.message, *(f"{label}: {text}" for label, text in entry.labels)]
    region = {"startLine": entry.span.line, "startColumn": entry.span.column}
    place = {"artifactLocation": {"uri": quote(entry.span.file)}, "region": region}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[entry.severity],
        "message": {"text": "\n".join(lines)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"toolgen/v1": finding.fingerprint},
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result
