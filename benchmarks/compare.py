"""Compare this checkout with another commit: the main commands, interleaved, as ratios."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from . import installation, report
from .groups import IN_PROCESS
from .measure import Case, interleave, ratio, spread
from .process import Done, run
from .project import PYTHON, Project, lay_out

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


def _of(project: Project) -> list[Case]:
    edits = count(1)
    cold = lay_out(project.folder.with_name(project.folder.name + "-cold"), project.size, project.code)
    empty = {"TOOLGEN_CACHE_DIR": str(project.folder / ".no-cache")}

    def edit() -> None:
        number = next(edits)
        project.edit(number * 37, f"as of edition {number}")

    def forget() -> None:
        shutil.rmtree(project.folder / ".no-cache", ignore_errors=True)

    def started(*words: str) -> Done:
        return run([PYTHON, *words], project.folder, project.env)

    says = f"{project.size} tool"
    return [
        Case("toolgen --help", lambda: project.toolgen("--help", says="usage").seconds),
        Case("import generated", lambda: started("-c", "import generated").seconds),
        Case("check, nothing changed", lambda: project.toolgen("check", says="clean").seconds),
        Case("check, no cache", lambda: project.toolgen("check", says="clean", env=empty).seconds, forget),
        Case("generate, one spec changed", lambda: project.toolgen("generate", says=says).seconds, edit),
        Case("generate, cold", lambda: cold.toolgen("generate", says=says).seconds, cold.forget),
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
            done = run(
                [PYTHON, str(IN_PROCESS / "calls.py"), "5", "30", "ours", os.environ["BENCH_CLOCK"]],
                project.folder,
                project.env,
            )
            for name, figures in json.loads(done.text.splitlines()[-1]).items():
                cases.setdefault(name, {}).setdefault(side, []).append(spread(figures).median)
    for name, found in cases.items():
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
