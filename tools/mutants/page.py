"""The part of docs/testing.md that lists the mutants that survive, with the reason for each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tools.mutants.trial import Verdict

PAGE: Final = Path("docs/testing.md")
REASONS: Final = Path("tools/mutants/survivors.toml")
_PART: Final = re.compile(r"(<!-- mutants -->\n).*?(<!-- /mutants -->)", re.DOTALL)
_UNKNOWN: Final = "not examined"
_MAX_CODE: Final = 70  # characters of a line of code


def read_reasons(root: Path) -> dict[str, str]:
    """Return name of a mutant → why it survives."""
    reasons: dict[str, str] = tomllib.loads((root / REASONS).read_text("utf-8"))
    return reasons


def write_page(root: Path, verdicts: Sequence[Verdict]) -> None:
    """Replace the figures and the table of the page. Raises ValueError if it has no such part."""
    page = root / PAGE
    text = page.read_text("utf-8")
    if not _PART.search(text):
        raise ValueError(f"{PAGE} has no part for mutants")
    part = figures(verdicts, read_reasons(root))
    page.write_text(_PART.sub(lambda found: f"{found[1]}{part}\n{found[2]}", text), "utf-8")


def figures(verdicts: Sequence[Verdict], reasons: Mapping[str, str]) -> str:
    """Return the figures and the table of survivors, as Markdown."""
    survivors = [each for each in verdicts if not each.found_by]
    found = len(verdicts) - len(survivors)
    idle = [each for each in survivors if reasons.get(each.mutant.name, "").startswith("no effect")]
    lines = [
        f"{found} of {len(verdicts)} mistakes are found ({100 * found / len(verdicts):.1f} %); of the other "
        f"{len(survivors)}, {len(idle)} have no effect on any result.",
        "",
        "| mistake | where | why it is not found |",
        "|---|---|---|",
    ]
    for verdict in survivors:
        mutant = verdict.mutant
        place = f"`{mutant.path.removeprefix('examples/')}:{mutant.line}`"
        reason = reasons.get(mutant.name, _UNKNOWN)
        lines.append(f"| {mutant.operator}: {_code(mutant.after)} | {place} | {reason} |")
    return "\n".join(lines)


def _code(line: str) -> str:
    short = line if len(line) <= _MAX_CODE else f"{line[: _MAX_CODE - 1]}…"
    return f"`{short}`".replace("|", "\\|")
