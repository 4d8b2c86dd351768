"""What each command has found, as the value that all formats print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgen.cli.report.entry import Entry, Report, entry_of
from toolgen.language.changes import Change
from toolgen.language.diagnostic import Diagnostic, in_order
from toolgen.language.source import Span

if TYPE_CHECKING:
    from toolgen.changes.comparing.judgement import Judgement
    from toolgen.project.building.output_diff import OutputDiff
    from toolgen.testing.results import ProjectReport
    from toolgen.upstream.consumers.drift import ConsumerJudgement

_OUTDATED: Final = "outdated-output"
_CHANGES: Final = {
    "CHANGED": "the specs changed since this file was generated",
    "MISSING": "this file should be here, and is not",
    "EXTRA": "this file is no longer generated",
    "EDITED": "this file was changed after toolgen wrote it",
}


def findings_report(command: str, judgement: Judgement) -> Report:
    """Return the report of a comparison."""
    entries = tuple(map(entry_of, judgement.shown))
    return Report(command, entries, bool(judgement.failed), texts=judgement.texts)


def consumers_report(broken: Sequence[ConsumerJudgement]) -> Report:
    """Return the report of `toolgen breaking --consumers`: an entry for each finding that breaks one."""
    entries: list[Entry] = []
    texts: dict[str, bytes | str] = {}
    for each in broken:
        named = (("consumer", f"{each.package} ({each.file})"),)
        entries += [
            replace(entry, labels=named + entry.labels) for entry in map(entry_of, each.judgement.failed)
        ]
        texts.update(each.judgement.texts)
    return Report("breaking", tuple(entries), bool(broken), texts=texts)


def tests_report(tests: ProjectReport) -> Report:
    """Return the report of `toolgen test`: an entry for each failure, and the tools without one."""
    failures = dict.fromkeys(failure.diagnostic for tool in tests.tools for failure in tool.failures)
    passed = tuple(tool.tool for tool in tests.tools if tool.result == "passed")
    return Report("test", tuple(map(entry_of, failures)), bool(failures), passed=passed)


def output_report(diff: OutputDiff, errors: Sequence[Diagnostic], warnings: Sequence[Diagnostic]) -> Report:
    """Return the report of `toolgen check`: an entry for each file that is not as it should be."""
    stale = _outdated(diff.changes, "toolgen generate")
    found = (*map(entry_of, in_order(errors)), *stale, *map(entry_of, in_order(warnings)))
    return Report("check", found, bool(errors) or not diff.clean)


def client_report(changes: Sequence[Change], judgement: Judgement | None) -> Report:
    """Return the report of `toolgen client --check`: files of a client, and what its source changed."""
    stale = _outdated(changes, "toolgen client")
    if judgement is None:
        return Report("client", tuple(stale), bool(changes))
    found = (*stale, *(entry_of(each) for each in judgement.shown))
    return Report("client", found, bool(changes or judgement.failed), texts=judgement.texts)


def _outdated(changes: Iterable[Change], fix: str) -> list[Entry]:
    return [
        Entry(Span(each.path, 1, 1), "error", _OUTDATED, _CHANGES[each.kind.value], (("help", fix),))
        for each in changes
    ]


def errors_report(command: str, found: Iterable[Diagnostic], texts: Mapping[str, bytes | str]) -> Report:
    """Return the report of a command that could not do its work because of errors in specs."""
    return Report(command, tuple(map(entry_of, found)), failed=True, texts=texts)
