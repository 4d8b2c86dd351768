"""A diagnostic, or a finding of a comparison, as formats print it: place, severity, code, labelled lines."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import MOST_LISTED, listed
from toolgen.language.changes import Change
from toolgen.language.codes import CODES
from toolgen.language.diagnostic import Diagnostic, in_order
from toolgen.language.source import Span
from toolgen.runtime.logs.secret_texts import covered

if TYPE_CHECKING:
    from toolgen.changes.comparing.sides import Judgement
    from toolgen.changes.finding import Finding, Witness
    from toolgen.project.building.project_build import OutputDiff
    from toolgen.testing.results import ProjectReport
    from toolgen.upstream.consumers.drift import ConsumerJudgement


_MAX_WITNESS: Final = 300  # characters of a value that are shown
_NOWHERE: Final = Span("(no file)", 1, 1)
_CONCERNS: Final = {
    "wire": "callers",
    "safety": "safety of users",
    "source": "code that imports generated names",
    "agent": "models",
    "impl": "the implementation",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One diagnostic or finding. Its texts are printable."""

    span: Span
    severity: str  # "error", "warning" or "info"
    code: str
    message: str
    labels: tuple[tuple[str, str], ...]  # label and text of the lines below it
    fingerprint: str = ""  # the same as long as the finding is, whatever its words and line are
    accepted: str = ""  # the reason why it is suppressed: it is reported, and does not fail


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of a command has found: the value that every format prints."""

    command: str  # "lint"
    entries: tuple[Entry, ...]  # in the order of their places
    failed: bool  # exit code 1
    summary: tuple[str, ...] = ()  # lines for people, below the entries
    data: Mapping[str, Any] = field(default_factory=dict)  # further keys of the JSON format
    texts: Mapping[str, bytes | str] = field(default_factory=dict)  # file → text, for source lines
    fails: Collection[str] = ("error",)  # severities of the entries that fail
    passed: tuple[str, ...] = ()  # names of what was looked at without a finding


def relocated(report: Report, folder: str) -> Report:
    """Return a report whose files are below `folder`: relative to the folder where CI shows findings.

    Fingerprints do not change, since a finding is the same wherever the command was started.
    """

    def moved(entry: Entry) -> Entry:
        file = entry.span.file
        if file == _NOWHERE.file or "://" in file or file.startswith("/"):
            return entry
        span = replace(entry.span, file=f"{folder}/{file}")
        return replace(entry, span=span, fingerprint=fingerprint_of(entry))

    return replace(report, entries=tuple(map(moved, report.entries))) if folder else report


def entry_of(found: Diagnostic | Finding) -> Entry:
    """Return what formats print of a diagnostic or a finding."""
    if isinstance(found, Diagnostic):
        labels = [("note", f"{location(note.span)}: {printable(note.message)}") for note in found.notes]
        labels += [("help", printable(found.hint))] if found.hint else []
        severity, message = CODES[found.code].severity, printable(covered(found.message))
        return Entry(found.span, severity, found.code, message, tuple(labels))
    span = found.places.new or found.places.old or _NOWHERE
    return Entry(
        span,
        found.level.value,
        found.code,
        printable(_title(found)),
        tuple(_labels(found)),
        found.fingerprint,
        found.accepted,
    )


def fingerprint_of(entry: Entry) -> str:
    """Return the fingerprint of an entry; of one that has none, a hash of its code, file and message."""
    if entry.fingerprint:
        return entry.fingerprint
    text = "\n".join((entry.code, entry.span.file, entry.message))
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def location(span: Span) -> str:
    """Return file, line and column."""
    return f"{printable(span.file)}:{span.line}:{span.column}"


def _title(finding: Finding) -> str:
    if finding.tools:
        return f"{len(finding.tools):,} tools: {finding.message}"
    return f"{finding.tool}: {finding.message}" if finding.tool else finding.message


def _labels(finding: Finding) -> Iterator[tuple[str, str]]:
    places = finding.places
    if places.new is not None and places.old is not None:
        yield "before", location(places.old)
    is_unsafe = finding.category.value == "safety" and finding.level.value == "error"
    yield "breaks" if is_unsafe else "concerns", _CONCERNS[finding.category.value]
    if finding.tools:
        rest = " (--format json has all)" if len(finding.tools) > MOST_LISTED else ""
        yield "tools", printable(f"{listed(finding.tools)}{rest}")
    if finding.witness is not None:
        of_tool = f" (of {finding.tools[0]})" if finding.tools else ""
        yield "witness", printable(f"{_in_words(finding.witness)}{of_tool}")
    if finding.accepted:
        yield "accepted", printable(finding.accepted)
    elif finding.hint:
        yield "help", printable(finding.hint)


def _in_words(witness: Witness) -> str:
    text = json.dumps(witness.value, ensure_ascii=False)
    if len(text) > _MAX_WITNESS:
        text = f"{text[:_MAX_WITNESS]}… (--format json has all of it)"
    was_valid = witness.accepted_by == "old"
    return f"{text} was valid, and no longer is" if was_valid else f"{text} is now valid, and was not before"


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
    fails = {each.level.value for each in judgement.failed}
    return Report(command, entries, bool(judgement.failed), texts=judgement.texts, fails=fails)


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
