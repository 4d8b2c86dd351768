"""Compare this checkout with another commit: the main commands, interleaved, as ratios."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import installation, report
from .groups import commands, in_process
from .measure import Case, interleave, ratio, spread
from .project import Project, lay_out

_SLOWER, _FASTER = 1.10, 0.90


def compare(commit: str, work: Path, rounds: int, sizes: Sequence[int]) -> str:
    """Return a Markdown table. Both use the dependencies of this checkout; only toolgen differs."""
    sides = {
        "base": installation.unpack(commit, work, "base"),
        "head": installation.unpack(None, work, "head"),
    }
    lines = [
        ("what", "specs", commit, "this checkout", "ratio (quartiles)", ""),
        *_calls(work, sides, rounds or 9),
        *(
            line
            for size in sizes
            for line in _commands(work, sides, size, rounds or (7 if size < 1000 else 5))
        ),
    ]
    return report.as_markdown(iter(lines))


def _commands(work: Path, sides: dict[str, Path], size: int, rounds: int) -> Iterator[tuple[str, ...]]:
    cases: list[Case] = []
    for side, code in sides.items():
        project = lay_out(work / f"compare-{side}-{size}", size, code)
        project.toolgen("generate")
        cases += [Case(f"{side} {case.name}", case.run, case.prepare) for case in _of(project)]
    samples = interleave(cases, rounds, f"compare, {size} specs")
    for name in [case.name.removeprefix("head ") for case in cases if case.name.startswith("head ")]:
        yield _line(name, f"{size:,}", samples[f"base {name}"], samples[f"head {name}"])


def _of(warm: Project) -> list[Case]:
    cold = lay_out(warm.folder.with_name(f"{warm.folder.name}-cold"), warm.size, warm.code)
    return [
        Case("toolgen --help", lambda: warm.toolgen("--help", says="usage").seconds),
        Case("toolgen check", lambda: warm.toolgen("check", says="clean").seconds),
        *commands(cold, warm),
    ]


def _calls(work: Path, sides: dict[str, Path], rounds: int) -> Iterator[tuple[str, ...]]:
    """Measure calls: each side's process runs once per round, and returns its median."""
    cases: dict[str, dict[str, list[float]]] = {}
    projects = {side: lay_out(work / f"compare-{side}-10", 10, code) for side, code in sides.items()}
    for project in projects.values():
        project.toolgen("generate")
    for number in range(rounds):
        for side in sorted(projects, reverse=bool(number % 2)):
            project = projects[side]
            measured = in_process(project, "calls.py", 5, os.environ["BENCH_CLOCK"])
            for name, figures in measured.items():
                cases.setdefault(name, {}).setdefault(side, []).append(spread(figures).median)
    for name in ("runtime", "MCP adapter"):
        found = cases[name]
        yield _line(f"one call, {name}", "", found["base"], found["head"])


def _line(name: str, size: str, base: Sequence[float], head: Sequence[float]) -> tuple[str, ...]:
    found = ratio(head, base)
    # more than noise: both quartiles are on one side, and the median differs by 10 %
    slower = found.low > 1 and found.median > _SLOWER
    faster = found.high < 1 and found.median < _FASTER
    verdict = "slower" if slower else "faster" if faster else ""
    shown = f"{found.median:.2f} ({found.low:.2f} to {found.high:.2f})"
    return (
        name,
        size,
        report.seconds(spread(base).median),
        report.seconds(spread(head).median),
        shown,
        verdict,
    )
