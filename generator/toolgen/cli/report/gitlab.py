"""A report as GitLab's code quality JSON, which merge requests show.

See "Code Quality report format" in GitLab's documentation.
"""

from __future__ import annotations

import json
from typing import Any, Final

from toolgen.cli.report.entry import Entry, Report, fingerprint_of

_SEVERITIES: Final = {"error": "major", "warning": "minor", "info": "info"}


def as_gitlab(report: Report) -> str:
    """Return an issue for each finding that is not accepted."""
    return json.dumps([_issue(each) for each in report.entries if not each.accepted], indent=2) + "\n"


def _issue(entry: Entry) -> dict[str, Any]:
    return {
        "description": f"{entry.code}: {entry.message}",
        "check_name": entry.code,
        "fingerprint": fingerprint_of(entry),
        "severity": _SEVERITIES[entry.severity],
        "location": {"path": entry.span.file, "lines": {"begin": entry.span.line}},
    }
