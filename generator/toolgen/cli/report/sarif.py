"""A report as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import quote

from toolgen.cli.report.entry import Entry, Report, fingerprint_of
from toolgen.language.codes import CODES

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(report: Report) -> str:
    """Return one run with a result for each finding. Those that are accepted are suppressed."""
    codes = sorted({each.code for each in report.entries})
    driver = {"name": "toolgen", "version": version("toolgen"), "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, codes.index(each.code)) for each in report.entries],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    if code not in CODES:  # rules of `breaking` are described in its documentation
        return {"id": code}
    explained = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": explained.title},
        "help": {"text": f"{explained.why}\n{explained.fix}"},
    }


def _result(entry: Entry, rule: int) -> dict[str, Any]:
    lines = [entry.message, *(f"{label}: {text}" for label, text in entry.labels)]
    column = entry.span.column
    region = {"startLine": entry.span.line, "startColumn": column, "endColumn": column + entry.span.length}
    place = {"artifactLocation": {"uri": quote(entry.span.file)}, "region": region}
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": rule,
        "level": _LEVELS[entry.severity],
        "message": {"text": "\n".join(lines)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"toolgen/v1": fingerprint_of(entry)},
    }
    if entry.accepted:
        result["suppressions"] = [{"kind": "external", "justification": entry.accepted}]
    return result
