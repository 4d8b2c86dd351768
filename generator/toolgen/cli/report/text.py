"""What commands have found, as text: diagnostics with their source lines, tests, differences of files.

Lines of a result are data; those of a summary are for people.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import count, listed, quoted
from toolgen.cli.report.entry import Entry, entry_of, location
from toolgen.compile.output_changes import with_lf
from toolgen.runtime.logs.secret_texts import covered

if TYPE_CHECKING:
    from toolgen.changes.comparing.sides import Judgement
    from toolgen.changes.finding import Finding
    from toolgen.language.changes import Change
    from toolgen.language.diagnostic import Diagnostic
    from toolgen.project.building.project_build import OutputDiff
    from toolgen.testing.results import FileUpdate, ProjectReport, ToolReport

MAX_WIDTH = 160  # characters of a source line that are shown
_NEAR: Final = 1_000  # characters before and behind a place: keys and tokens have fewer
_TAB = "\t"
_PATIENCE: Final = 10  # seconds that people wait attentively (Nielsen, Usability Engineering, 1993)
_UNDECIDED: Final = "unanalysed"  # the code of changes that could not be decided

_BREAK = re.compile("\r\n|\r|\n")
_COLOURS = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "info": "\x1b[1;34m",
    "bold": "\x1b[1m",
    "dim": "\x1b[36m",
    "end": "\x1b[0m",
}


def render(
    found: Iterable[Diagnostic | Finding], texts: Mapping[str, bytes | str], color: bool = False
) -> str:
    """Return a block for each diagnostic or finding; `texts` maps the files of places to their contents."""
    return render_entries(map(entry_of, found), texts, color=color)


def render_entries(entries: Iterable[Entry], texts: Mapping[str, bytes | str], *, color: bool = False) -> str:
    """Return a block for each entry of a report; `texts` maps the files of places to their contents."""
    lines: dict[str, list[str]] = {}
    blocks = []
    for entry in entries:
        file = entry.span.file
        if file not in lines:
            lines[file] = split_lines(texts.get(file, ""))
        blocks.append(_block(entry, lines[file], _COLOURS if color else dict.fromkeys(_COLOURS, "")))
    return "".join(blocks)


def _block(entry: Entry, lines: list[str], mark: Mapping[str, str]) -> str:
    """Return one block: place and message, the source line, and labelled lines below it."""
    span = entry.span
    out = [
        f"{mark['bold']}{location(span)}{mark['end']}: "
        f"{mark[entry.severity]}{entry.severity}[{entry.code}]{mark['end']} {entry.message}"
    ]
    margin = ""
    # the file may have changed since, or be missing
    if 1 <= span.line <= len(lines) and lines[span.line - 1].strip():
        text, column, length = _window(lines[span.line - 1], span.column - 1, span.length)
        margin = " " * len(str(span.line))
        before, marked = text[:column], text[column : column + length]
        out.append(f"{mark['dim']}{span.line} |{mark['end']} {printable(text, keep=_TAB)}".rstrip())
        carets = "^" * max(1, sum(map(_width, printable(marked, keep=_TAB))))
        # tabs are kept, so that tab stops do not matter
        padding = "".join(
            char if char == _TAB else " " * _width(char) for char in printable(before, keep=_TAB)
        )
        under = f"{padding}{mark[entry.severity]}{carets}{mark['end']}"
        out.append(f"{mark['dim']}{margin} |{mark['end']} {under}")
    out += [f"{margin or ' '} {mark['dim']}= {label}:{mark['end']} {text}" for label, text in entry.labels]
    return "\n".join(out) + "\n"


def split_lines(raw: bytes | str) -> list[str]:
    """Return the lines of a file."""
    if isinstance(raw, bytes):
        # UTF-16 is refused, and its line is shown all the same
        wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = raw.decode("utf-16" if wide else "utf-8", errors="replace")
    else:
        text = raw
    return _BREAK.split(text.removeprefix("\ufeff"))


def _window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """Cut a long line around the span; return the part, and the span's column and length in it.

    What looks like a secret is covered. A line may have megabytes, so that only what is near is looked at.
    """
    near = slice(max(0, column - _NEAR), column + _NEAR)
    line = line[: near.start] + covered(line[near]) + line[near.stop :]
    if len(line) <= MAX_WIDTH:
        return line, column, length
    start = max(0, min(column - MAX_WIDTH // 4, len(line) - MAX_WIDTH))
    shown = line[start : start + MAX_WIDTH]
    if start:
        shown = "…" + shown[1:]
    if start + MAX_WIDTH < len(line):
        shown = shown[:-1] + "…"
    return shown, column - start, min(length, MAX_WIDTH - (column - start))


def _width(char: str) -> int:
    """Return the width of a character in terminal columns."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def lines_of_findings(judgement: Judgement, *, color: bool) -> list[str]:
    """Return the findings, those about texts that models read at the end."""
    found = sorted(judgement.shown, key=lambda each: each.category.value == "agent")
    return render(found, judgement.texts, color=color).splitlines()


def summary_of_findings(judgement: Judgement) -> str:
    """Return how many breaks and other findings there are."""
    found = judgement.findings
    if not found:
        return "no change"
    levels = Counter(each.level.value for each in found if each.code != _UNDECIDED and not each.accepted)
    undecided = sum(each.code == _UNDECIDED and not each.accepted for each in found)
    parts = [count(levels["error"], "break"), count(levels["warning"], "warning"), f"{undecided} undecided"]
    if accepted := sum(bool(each.accepted) for each in found):
        parts.append(f"{accepted} accepted")
    hidden = len(found) - len(judgement.shown)
    safe = f"; {count(hidden, 'safe change')} (--level info shows them)" if hidden else ""
    return f"{', '.join(parts)}{safe}"


def lines_of_tests(report: ProjectReport, texts: Mapping[str, bytes | str]) -> Iterator[str]:
    """Yield what `toolgen test` has found: updated files, failures, a line for each tool, the server."""
    for update in report.updates:
        yield from lines_of_update(update)
    for failure in dict.fromkeys(failure for tool in report.tools for failure in tool.failures):
        yield from render([failure.diagnostic], texts).splitlines()
        yield from (f"    {line}" for line in failure.diff)
    for tool in report.tools:
        yield _state(tool)
        yield from (f"  {line}" for line in _notes(tool))
    if report.server is not None:
        yield from (f"tested: {report.server.server}", *report.server.notes)
        unknown = report.server.unknown
        if unknown:
            yield f"not in the specs: {listed(list(map(quoted, unknown)))}"


def summary_of_tests(report: ProjectReport) -> Iterator[str]:
    """Yield how many tools have failed, how more could be tested, and what was or could be recorded."""
    results = [tool.result for tool in report.tools]
    failed, not_tested = results.count("failed"), results.count("not tested")
    calls = sum(tool.calls for tool in report.tools)
    verdict = f"{count(failed, 'tool')} failed" if failed else "no failures"
    verdict += f", {not_tested} not tested" if not_tested else ""
    yield f"{count(len(report.tools), 'tool')}, {count(calls, 'call')}, seed {report.seed}: {verdict}"
    seconds = sum(tool.seconds for tool in report.tools)
    if (slow := sum(tool.fixture_seconds for tool in report.tools)) > _PATIENCE:
        yield f"{slow:.0f} of {seconds:.0f} s were spent in {report.fixtures}: prepare data once, and copy it"
    if any(tool.may_do_harm for tool in report.tools):
        yield from _how_to_test(report)
    yield from map(_summary_of_update, report.updates)
    if report.server is not None or report.is_update:
        return
    if missing := sum(len(tool.not_recorded) for tool in report.tools):
        yield f"{count(missing, 'example')} without a recorded outcome; to record: toolgen test --update"
    if report.stale_records:
        shown = ", ".join(report.stale_records)
        yield f"recorded, but not in the specs: {shown}; to remove: toolgen test --update"


def _how_to_test(report: ProjectReport) -> Iterator[str]:
    """Yield lines that say how tools can be tested whose calls may do harm."""
    if report.server is None:
        yield f"to test them, give them data for tests in {report.fixtures}:"
        yield "    def toolgen_toolkit(folder):"
        yield f"        return {report.package}.catalog.toolkit(context={{...}})  # with data in `folder`"
    yield "if a tool does no harm, say so in its `annotations`: readOnlyHint: true, for example"
    data = "the project's own data" if report.server is None else "the server's data"
    yield f"--all-calls calls all tools, with {data}"


def _state(tool: ToolReport) -> str:
    if tool.not_implemented:
        return f"not implemented  {tool.tool}"
    if tool.result == "not tested":
        return f"not tested  {tool.tool}: {tool.not_tested}"
    state = "FAILED" if tool.failures else "passed"
    return f"{state}  {tool.tool}: {count(tool.examples, 'example')}, {count(tool.calls, 'call')}"


def _notes(tool: ToolReport) -> Iterator[str]:
    if tool.not_tested and tool.failures:
        yield f"not tested: {tool.not_tested}"
    if tool.not_covered:
        yield f"not covered: {', '.join(tool.not_covered)}"
    by_reason: dict[str, list[str]] = {}
    for check, reason in tool.not_checked.items():
        by_reason.setdefault(reason, []).append(check)
    if not tool.not_implemented:
        yield from (f"not checked: {', '.join(checks)}: {reason}" for reason, checks in by_reason.items())
    yield from tool.notes


def lines_of_update(update: FileUpdate) -> Iterator[str]:
    """Yield an update as a unified diff; of a new file, how many lines it has."""
    after = update.after or ""
    if update.before is None:
        lines = count(after.count("\n"), "line")
        yield f"{update.file}: new, {lines}"
    else:
        old, new, context = update.before.splitlines(), after.splitlines(), 2 if update.examples else 1
        yield from difflib.unified_diff(old, new, update.file, update.file, lineterm="", n=context)


def _summary_of_update(update: FileUpdate) -> str:
    done = f"{'wrote' if update.after is not None else 'removed'} {update.file}"
    return f"{done}: {count(len(update.examples), 'example')}" if update.examples else done


def lines_of_changes(diff: OutputDiff, *, with_diff: bool) -> Iterator[str]:
    """Yield the lines of the report: changed specs and tools, affected files, diffs."""
    affected = diff.affected
    for spec, word in diff.specs.items():
        yield f"SPEC {spec} was {word}" + (f": {', '.join(affected[spec])}" if spec in affected else "")
    yield from lines_of_toolchain(diff)
    for change in diff.changes:
        origin = diff.origins.get(change.path)
        yield f"{change.kind} {change.path}" + (f" (from {origin})" if origin else "")
    if with_diff:
        for change in diff.changes:
            yield from diff_of_change(change)


def lines_of_toolchain(diff: OutputDiff) -> Iterator[str]:
    """Yield each distribution of the toolchain whose version changed since the files were generated."""
    for name, (then, now) in diff.toolchain.items():
        yield f"TOOLCHAIN {name} {then} → {now}"


def diff_of_change(change: Change) -> Iterator[str]:
    """Yield a unified diff for `git apply`, from the file on disk to the expected one."""
    before = "/dev/null" if change.before is None else f"a/{change.path}"
    after = "/dev/null" if change.after is None else f"b/{change.path}"
    old, new = _lines(with_lf(change.before or "")), _lines(with_lf(change.after or ""))
    for line in difflib.unified_diff(old, new, before, after):
        text = line.encode("utf-8", "backslashreplace").decode().rstrip("\n")
        yield text
        # as git writes it, and `git apply` reads it
        if not line.endswith("\n") and not line.startswith(("---", "+++", "@@ ")):
            yield "\\ No newline at end of file"


def _lines(text: str) -> list[str]:
    return list(StringIO(text, newline="\n"))  # at "\n" only: `splitlines` knows ten more line ends
