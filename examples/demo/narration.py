"""Output of the demo: headings, labelled lines, excerpts of files; and `must`, which checks a statement."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH = 96
BOLD, FAINT, PLAIN = (
    ("\033[1m", "\033[2m", "\033[0m")
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ
    else ("", "", "")
)


class NotTrueError(Exception):
    """Something that the demo shows is not true."""


def must(holds: bool, what: str) -> None:
    """End the demo with exit code 1 unless the statement `what` is true."""
    if not holds:
        raise NotTrueError(f"demo: this should be true and is not: {what}")


def chapter(number: str, title: str, promise: str) -> None:
    """Print the heading of a design."""
    print(f"\n\n{BOLD}SEED {number}  {title}{PLAIN}\n{FAINT}{textwrap.fill(promise, 107)}{PLAIN}")


def step(text: str) -> None:
    """Print what the next lines show."""
    print(f"\n{BOLD}* {text}{PLAIN}")


def tell(label: str, text: str) -> None:
    """Print a label and its text; fold long lines."""
    for line in text.splitlines():
        for part in textwrap.wrap(line, WIDTH, replace_whitespace=False) or [""]:
            print(f"  {label:<9}  {part}".rstrip())
            label = ""


def cut(text: str) -> str:
    """Shorten a text to one line."""
    return textwrap.shorten(text, WIDTH, placeholder=" ...")


def quote(file: str, start: str, lines: int = 1) -> None:
    """Show `lines` lines of a file of this project, from the one that begins with `start`."""
    text = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(text) if line.strip().startswith(start)]
    must(bool(found), f"{file} has a line that begins with {start!r}")
    label = "the YAML" if file.endswith(".yaml") else "the code"
    tell(label, textwrap.dedent("\n".join(text[found[0] : found[0] + lines])))
