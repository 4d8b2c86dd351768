"""Quick fixes: the safe fixes of lint rules, and the words that hints suggest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolgen.base.suggestions import Suggestion
from toolgen.cli.language_server.documents import Buffer, Edit
from toolgen.cli.language_server.links import as_written
from toolgen.cli.language_server.project_files import Findings
from toolgen.cli.report.entry import Entry
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.fixes import FIXES, fixed_text
from toolgen.language.lint.suppressions import Places
from toolgen.language.source import Source


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of a file that removes a finding."""

    title: str
    entry: Entry
    edits: list[Edit]


def find_fixes(
    findings: Findings, source: Source | None, buffer: Buffer, first: int, last: int
) -> Iterator[Fix]:
    """Yield the fixes of what is found in the lines `first` to `last`, from 0.

    `source` is the text of the buffer as it was read; None if it is not YAML.
    """
    for entry in findings.entries:
        if not first <= entry.span.line - 1 <= last:
            continue
        origin = findings.origin(entry)
        if origin is not None and (edit := _suggested(origin, buffer)):
            yield Fix(f"Write {edit.text}", entry, [edit])
        if entry.code in FIXES and source is not None:
            fixed = fixed_text(source.text, [(entry.code, Places(source).path_of(entry.span))])
            if fixed != source.text:
                yield Fix(f"Fix {entry.code}", entry, [buffer.replaced(fixed)])


def _suggested(found: Diagnostic, buffer: Buffer) -> Edit | None:
    """Return the edit that writes the word that a hint suggests in the place of the one that is there."""
    hint = found.hint
    if not isinstance(hint, Suggestion) or not hint.word:
        return None
    line, start = found.span.line - 1, found.span.column - 1
    written = buffer.lines[line][start : start + found.span.length] if line < len(buffer.lines) else ""
    if written.count(hint.word) != 1:
        return None
    new = written.replace(hint.word, hint.instead)
    if written == hint.word:  # without quotes, which the new word may need
        new = as_written(hint.instead, "")
    return Edit((line, start), (line, start + len(written)), new)
