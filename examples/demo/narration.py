"""Output of the demo: headings, labelled lines, excerpts of files; the transcript, and its golden."""

from __future__ import annotations

import difflib
import os
import re
import sys
import textwrap
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[2]
GOLDEN: Final = Path(__file__).with_name("transcript.txt")
WIDTH = 96
BOLD, FAINT, PLAIN = (
    ("\033[1m", "\033[2m", "\033[0m")
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ
    else ("", "", "")
)
_CALL_ID: Final = re.compile(r"\b[0-9a-f]{16}\b")
_SECONDS: Final = re.compile(r"\b\d+\.\d{3} s\b")

_shown: list[str] = []  # every line that the demo has printed, without colours


class NotTrueError(Exception):
    """Something that the demo shows is not true."""


def must(holds: bool, what: str) -> None:
    """End the demo with exit code 1 unless the statement `what` is true. For facts that no line shows."""
    if not holds:
        raise NotTrueError(f"demo: this should be true and is not: {what}")


def show(text: str = "", style: str = "") -> None:
    """Print text; it becomes part of the transcript."""
    _shown.extend(text.split("\n"))
    print(f"{style}{text}{PLAIN if style else ''}", flush=True)


def chapter(number: str, title: str, promise: str) -> None:
    """Print the heading of a design."""
    show("\n")
    show(f"SEED {number}  {title}", BOLD)
    show(textwrap.fill(promise, 107), FAINT)


def step(text: str) -> None:
    """Print what the next lines show."""
    show()
    show(f"* {text}", BOLD)


def tell(label: str, text: str) -> None:
    """Print a label and its text; fold long lines."""
    for line in text.splitlines() or [""]:
        for part in textwrap.wrap(line, WIDTH, replace_whitespace=False) or [""]:
            show(f"  {label:<9}  {part}".rstrip())
            label = ""


def quote(file: str, start: str, lines: int = 1) -> None:
    """Show `lines` lines of a file of this project, from the one that begins with `start`."""
    text = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(text) if line.strip().startswith(start)]
    must(bool(found), f"{file} has a line that begins with {start!r}")
    label = "the YAML" if file.endswith(".yaml") else "the code"
    tell(label, textwrap.dedent("\n".join(text[found[0] : found[0] + lines])))


def restart() -> None:
    """Begin a new transcript."""
    _shown.clear()


def transcript() -> str:
    """Return all that was printed; call ids are numbered as they appear, times are masked."""
    text = _SECONDS.sub("<time> s", "\n".join([*_shown, ""]))
    numbers: dict[str, int] = {}
    return _CALL_ID.sub(lambda found: f"<call {numbers.setdefault(found[0], len(numbers) + 1)}>", text)


def record() -> None:
    """Write the golden."""
    GOLDEN.write_text(transcript(), encoding="utf-8", newline="\n")


def difference() -> str:
    """Return the difference between the reviewed transcript and what was printed; empty if there is none."""
    reviewed = GOLDEN.read_text(encoding="utf-8") if GOLDEN.exists() else ""
    shown = transcript()
    if shown == reviewed:
        return ""
    sides = (reviewed.splitlines(), shown.splitlines())
    lines = difflib.unified_diff(*sides, "reviewed", "this run", n=1, lineterm="")
    return "\n".join(lines) or "they differ in line ends or in empty lines at the end"
