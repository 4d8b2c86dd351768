"""Search and replace in the files of a workspace: planned in memory first, written all at once afterwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolgen.runtime import printable

from .patterns import PatternTooExpensiveError, run_pattern
from .text_files import Skipped, read_texts
from .wording import count, digest
from .workspace import Limits, Snapshot, Workspace

MAX_GROWTH: Final = 2
"""How many times as much text as one search may read there may be afterwards."""
_MAX_FILES: Final = 8  # that the user is shown
_MAX_LINES: Final = 3  # of each file


@dataclass(frozen=True, slots=True)
class Replacement:
    """A replacement and the files to which it applies; `mode` is `literal` or `regex`."""

    search: str
    replacement: str
    mode: str
    ignore_case: bool
    path: str
    include: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after."""

    snapshot: Snapshot
    text: str
    replacements: int

    @property
    def path(self) -> str:
        return self.snapshot.path


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes, and the files that were skipped."""

    changes: tuple[FileChange, ...]
    searched: int
    skipped: tuple[Skipped, ...]

    @property
    def replacements(self) -> int:
        return sum(change.replacements for change in self.changes)


def plan(workspace: Workspace, wanted: Replacement) -> Plan:
    """Find every replacement; nothing is written. Raises what `patterns`, `text_files` and
    `workspace` raise."""
    files, skipped = read_texts(workspace, wanted.path, wanted.include)
    texts = [snapshot.data.decode("utf-8") for snapshot in files]
    results = _substitute(wanted, texts, workspace.limits)
    changes = [FileChange(file, text, n) for file, (text, n) in zip(files, results, strict=True) if n]
    return Plan(tuple(changes), len(files), tuple(skipped))


def apply(workspace: Workspace, planned: Plan) -> None:
    """Write what was planned, or nothing, if every file is still as it was when it was planned.

    Raises what `Workspace.writing` and `Writer.replace` raise.
    """
    changes = {file.path: (file.snapshot, file.text.encode("utf-8")) for file in planned.changes}
    with workspace.writing() as writer:
        writer.replace(changes)


def describe(planned: Plan) -> str:
    """The plan as text for the person who is asked: files, and the first lines that change in each.

    Nothing in it is invisible. A digest stands for what is not shown: another plan never has the same text.
    """
    if not planned.changes:
        return f"Nothing would change: no match in {count(planned.searched, 'file')}."
    shown = [line for change in planned.changes[:_MAX_FILES] for line in _describe_file(change)]
    if (more := len(planned.changes) - _MAX_FILES) > 0:
        shown.append(f"… and {more} more files")
    total = f"{count(planned.replacements, 'replacement')} in {count(len(planned.changes), 'file')}"
    if any("…" in line or " lines become " in line for line in shown):
        total += f" (sha256 {_digest(planned)})"
    return "\n".join([total, *shown])


def _describe_file(change: FileChange) -> list[str]:
    before, after = change.snapshot.data.decode("utf-8").split("\n"), change.text.split("\n")
    shown = [f"{printable(change.path)}: {change.replacements}"]
    if len(before) != len(after):  # lines have moved, so that pairs of them would mislead
        return [*shown, f"  {len(before)} lines become {len(after)}"]
    pairs = [(n, old, new) for n, (old, new) in enumerate(zip(before, after, strict=True), 1) if old != new]
    for number, old, new in pairs[:_MAX_LINES]:
        shown += [f"  {number} - {_cut(old)}", f"  {number} + {_cut(new)}"]
    return [*shown, f"  … and {len(pairs) - _MAX_LINES} more lines"] if len(pairs) > _MAX_LINES else shown


def _cut(line: str) -> str:
    return printable(line) if len(line) <= 120 else printable(line[:120]) + "…"


def _digest(planned: Plan) -> str:
    parts = [(file.path.encode(), file.snapshot.data, file.text.encode()) for file in planned.changes]
    return digest(*(part for change in parts for part in change))


def _substitute(wanted: Replacement, texts: Sequence[str], limits: Limits) -> list[tuple[str, int]]:
    most = MAX_GROWTH * limits.total_bytes
    if wanted.mode == "regex":
        return _in_worker(wanted, texts, most, limits.pattern_seconds)
    # An escaped text has no choices to make, so that this expression cannot run away as a free one can.
    pattern = re.compile(re.escape(wanted.search), re.IGNORECASE if wanted.ignore_case else 0)
    counts = [sum(1 for _ in pattern.finditer(text)) for text in texts]
    if sum(map(len, texts)) + sum(counts) * len(wanted.replacement) > most:
        raise _too_large(most)
    return [
        (pattern.sub(lambda _: wanted.replacement, text), n) for text, n in zip(texts, counts, strict=True)
    ]


def _in_worker(wanted: Replacement, texts: Sequence[str], most: int, seconds: float) -> list[tuple[str, int]]:
    job = {
        "pattern": wanted.search,
        "replacement": wanted.replacement,
        "ignore_case": wanted.ignore_case,
        "room": most,
        "texts": list(texts),
    }
    result = run_pattern(job, seconds)
    if "too_large" in result:
        raise _too_large(most)
    return [(text, count) for text, count in result["texts"]]


def _too_large(most: int) -> PatternTooExpensiveError:
    return PatternTooExpensiveError(f"The files would grow beyond {most:,} characters.")
