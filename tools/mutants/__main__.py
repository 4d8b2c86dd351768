"""Count how many semantic faults `toolgen test` finds: `make mutants`, of the `gallery` or `PROJECT=lending`.

The faults were written from specs and implementations alone. They are put into a copy of the project, one
at a time. Outcomes are recorded of the correct project, as its user records them. `--clean N` tests it
with N seeds: every failure is a false alarm.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml
from toolgen.project.building.project_build import program_of, read_inputs
from toolgen.testing.tool_under_test import tool_under_test
from toolgen.testing.updated_files import with_recorded

from tools.mutants.trial import Layout, Mutant, preload, run_trials

ROOT: Final = Path(__file__).parents[2]
FAULTS: Final = ROOT / "tests/semantic_faults"
GOALS: Final = {"gallery": 0.85, "lending": 0.6}  # shares that are to be found


def main() -> int:
    """Run the trials; return 0 if as many faults are found as `GOALS` says, and there is no false alarm."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--project", choices=sorted(GOALS), default="gallery")
    parser.add_argument("--clean", type=int, default=0, metavar="N", help="test the correct project N times")
    parser.add_argument("--only", default="", help="faults whose ids begin with one of these, with commas")
    parser.add_argument("--at-once", type=int, default=(os.cpu_count() or 1) + 1)
    args = parser.parse_args()
    with _layout(args.project) as layout:
        unchanged = [Mutant(f"seed {seed}", "", "", "", seed=str(seed)) for seed in range(args.clean)]
        mutants = unchanged or read_faults(args.project, layout.root)
        mutants = [each for each in mutants if each.name.startswith(tuple(args.only.split(",")))]
        missed = _missed(layout, args, mutants)
    found = len(mutants) - len(missed)
    if args.clean:
        print(f"{found} of {len(mutants)} runs on the correct project had a false alarm")
        return 1 if found else 0
    for mutant in missed:
        print(f"missed  {mutant.name}: {mutant.what}")
    print(f"{found} of {len(mutants)} faults found, {100 * found / max(1, len(mutants)):.1f} %")
    return 0 if found >= GOALS[args.project] * len(mutants) else 1


def read_faults(project: str, root: Path) -> list[Mutant]:
    """Return the faults of a project. Raises ValueError for one that does not fit its files."""
    file = FAULTS / ("gallery.yaml" if project == "gallery" else f"{project}/faults.yaml")
    return [_mutant(fault, root) for fault in yaml.safe_load(file.read_text("utf-8"))]


def _mutant(fault: dict[str, Any], root: Path) -> Mutant:
    texts: dict[str, str] = {}
    for edit in fault.get("edits", [fault]):
        text = texts.get(edit["file"]) or (root / edit["file"]).read_text("utf-8")
        if text.count(edit["old"]) != 1:
            raise ValueError(f"{fault['id']}: its text is not in {edit['file']} exactly once")
        texts[edit["file"]] = text.replace(edit["old"], edit["new"])
    (path, text), *more = texts.items()
    return Mutant(fault["id"], fault["what"], path, text, dict(more))


@contextmanager
def _layout(project: str) -> Iterator[Layout]:
    """Yield a project with recorded outcomes; those of the gallery are committed."""
    if project == "gallery":
        yield Layout(ROOT)
        return
    with tempfile.TemporaryDirectory(prefix="toolgen-semantic-") as name:
        root = Path(name) / project
        shutil.copytree(FAULTS / project, root)
        for words in (["generate"], ["test", "--update"]):
            subprocess.run([sys.executable, "-m", "toolgen", *words], cwd=root, check=True)
        yield Layout(root, (project, "tests"), ("generated", "specs"), "tests/toolgen_fixtures.py")


def _missed(layout: Layout, args: argparse.Namespace, mutants: list[Mutant]) -> list[Mutant]:
    inputs = read_inputs(str(layout.root))
    tools = [with_recorded(inputs.project, tool_under_test(tool)) for tool in program_of(inputs).tools]
    preload(layout.root, tools, layout.copied[0])
    missed = []
    for verdict in run_trials(layout, mutants, tools, at_once=args.at_once):
        name, by = verdict.mutant.name, verdict.found_by
        print(f"{by or 'MISSED':20} {name} {verdict.message} {verdict.seconds:.0f} s", flush=True)
        if not by:
            missed.append(verdict.mutant)
    return missed


if __name__ == "__main__":
    sys.exit(main())
