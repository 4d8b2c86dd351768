"""Find lines of the workspace's text files that contain a text or match a regular expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .patterns import run_pattern
from .text_files import Skipped, read_texts
from .workspace import Workspace

MAX_LINE: Final = 300
"""Maximum number of characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search and the files to which it applies; `mode` is `literal` or `regex`."""

    query: str
    mode: str
    ignore_case: bool
    path: str
    include: str


@dataclass(frozen=True, slots=True)
class Match:
    """A line with its number, counted from 1; long lines are shortened."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Matches:
    """The first matches by path and line, the total number, and the skipped files."""

    matches: list[Match]
    total: int
    searched: int
    skipped: list[Skipped]


def search(workspace: Workspace, wanted: Query, limit: int) -> Matches:
    """Find matching lines. Raises what `patterns`, `text_files` and `workspace` raise."""
    files, skipped = read_texts(workspace, wanted.path, wanted.include)
    texts = [snapshot.data.decode("utf-8") for snapshot in files]
    lines_of = _lines(wanted, texts, workspace.limits.pattern_seconds)
    found = []
    for snapshot, text, numbers in zip(files, texts, lines_of, strict=True):
        lines = text.split("\n")
        found += [(snapshot.path, number, lines[number]) for number in numbers]
    shown = [Match(path, number + 1, _cut(line.rstrip("\r"))) for path, number, line in found[:limit]]
    return Matches(shown, len(found), len(files), skipped)


def _lines(wanted: Query, texts: list[str], seconds: float) -> list[list[int]]:
    """Return the numbers, from 0, of the matching lines of each text."""
    if wanted.mode == "regex":
        job = {"pattern": wanted.query, "ignore_case": wanted.ignore_case, "texts": texts}
        lines: list[list[int]] = run_pattern(job, seconds)["lines"]
        return lines
    query = wanted.query.casefold() if wanted.ignore_case else wanted.query
    return [
        [n for n, line in enumerate(text.split("\n")) if query in _folded(line, wanted.ignore_case)]
        for text in texts
    ]


def _folded(line: str, ignore_case: bool) -> str:
    return line.casefold() if ignore_case else line


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…"
