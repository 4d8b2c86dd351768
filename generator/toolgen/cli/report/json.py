"""What commands have found, as JSON data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from toolgen.cli.report.text import diff_of_change
from toolgen.language.codes import CODES
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Span

if TYPE_CHECKING:
    from toolgen.changes.finding import Finding
    from toolgen.cli.report.entry import Report
    from toolgen.project.building.project_build import OutputDiff
    from toolgen.testing.results import ProjectReport, ToolReport


def diagnostics_data(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Return each diagnostic as plain data. Lines and columns count from 1, `length` is in characters."""
    return [
        {
            "code": diagnostic.code,
            "severity": CODES[diagnostic.code].severity,
            "message": diagnostic.message,
            "hint": diagnostic.hint,
            **_location(diagnostic.span),
            "notes": [{"message": note.message, **_location(note.span)} for note in diagnostic.notes],
        }
        for diagnostic in diagnostics
    ]


def _location(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "column": span.column, "length": span.length}


def report_data(report: Report) -> dict[str, Any]:
    """Return a report as plain data. Lines and columns count from 1, `length` is in characters."""
    findings = [
        {
            "code": entry.code,
            "severity": entry.severity,
            "message": entry.message,
            "labels": dict(entry.labels),
            **_location(entry.span),
            "fingerprint": entry.fingerprint,
            "accepted": entry.accepted or None,
        }
        for entry in report.entries
    ]
    return {"command": report.command, "findings": findings, "failed": report.failed, **report.data}


def findings_data(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return each finding as plain data. Lines and columns count from 1, `length` is in characters."""
    return [
        {
            "rule": each.code,
            "category": each.category.value,
            "direction": each.direction.value if each.direction else None,
            "level": each.level.value,
            "tool": each.tool or None,
            "tools": list(each.all_tools),
            "pointer": each.pointer,
            "message": each.message,
            "hint": each.hint,
            "place": each.places.new and _location(each.places.new),
            "old_place": each.places.old and _location(each.places.old),
            "witness": each.witness and asdict(each.witness),
            "fingerprint": each.fingerprint,
            "accepted": each.accepted or None,
        }
        for each in findings
    ]


def tests_data(report: ProjectReport) -> dict[str, Any]:
    """Return what `toolgen test` has found."""
    tools, updated = [_tool_data(tool) for tool in report.tools], [each.file for each in report.updates]
    data = {"seed": report.seed, "tools": tools, "updated": updated}
    # other keys only for a server: scripts may test for their presence
    if report.server is None:
        return data
    server = report.server
    about = {"server": server.server, "not_in_specs": list(server.unknown), "notes": list(server.notes)}
    return {**data, **about}


def _tool_data(tool: ToolReport) -> dict[str, Any]:
    return {
        "name": tool.tool,
        "result": tool.result,
        "examples": tool.examples,
        "calls": tool.calls,
        "not_tested": tool.not_tested or None,
        "not_checked": tool.not_checked,
        "not_covered": tool.not_covered,
        "not_recorded": tool.not_recorded,
        "notes": tool.notes,
        "failures": [
            {
                "check": failure.check,
                "command": failure.command,
                "diff": list(failure.diff),
                **diagnostics_data([failure.diagnostic])[0],
            }
            for failure in tool.failures
        ],
    }


def changes_data(diff: OutputDiff) -> dict[str, Any]:
    """Return the differences as JSON data."""
    affected = diff.affected
    return {
        "clean": diff.clean,
        "changes": [
            {
                "kind": change.kind.value,
                "path": change.path,
                "spec": diff.origins.get(change.path),
                "diff": "\n".join(diff_of_change(change)),
            }
            for change in diff.changes
        ],
        "specs": [
            {"path": path, "change": word, "affects": affected.get(path, [])}
            for path, word in diff.specs.items()
        ],
        "toolchain": [{"name": name, "then": t, "now": n} for name, (t, n) in diff.toolchain.items()],
    }
