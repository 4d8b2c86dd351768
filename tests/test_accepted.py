"""Accepted specs: their output, compared byte for byte, and the output of a program that uses it.

A case is a folder of `tests/cases/accepted/`:

- `spec.yaml`, or several specs in `specs/`;
- `use.py`, which uses the generated package and prints what it sees;
- `want/generated/` and `want/use.out`: what is expected. `pytest --record` writes them, unless `use.py` fails;
- `case.yaml`: the generated files that the case is about. `generated/` of the repository, which `toolgen check`
  compares, has more of all other files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from toolgen.compile.pipeline import compile_project
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS
from tests.preloaded import python_command

ACCEPTED = Path(__file__).parent / "cases" / "accepted"
USE = """
import runpy, sys, warnings
sys.stdout.reconfigure(encoding="utf-8")
warnings.simplefilter("error")
runpy.run_path("use.py", run_name="__main__")
"""
CASES = sorted(path.parent for path in ACCEPTED.glob("*/use.py"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_accepted_case_generates_the_expected_files(case: Path, tmp_path: Path, record: bool) -> None:
    tree = dict(compile_project(read_specs(case), TARGETS, PackageSettings(), {}).tree)
    write(tmp_path / "generated", tree)
    shutil.copy(case / "use.py", tmp_path)
    printed = run(tmp_path)
    compared = {path: text for path, text in tree.items() if is_compared(case, path)}
    want = case / "want"
    if record:
        shutil.rmtree(want, ignore_errors=True)
        write(want / "generated", compared)
        (want / "use.out").write_text(printed, encoding="utf-8", newline="\n")
    assert compared == read_tree(want / "generated")
    assert printed == (want / "use.out").read_text(encoding="utf-8")


def test_all_other_files_are_the_same_in_every_project() -> None:
    case = ACCEPTED / "minimal"
    tree = compile_project(read_specs(case), TARGETS, PackageSettings(), {}).tree
    others = {path: text for path, text in tree.items() if not is_compared(case, path)}
    own = read_tree(ACCEPTED.parents[2] / "generated")
    assert others == {path: own[path] for path in others}
    assert len(others) > len(TARGETS)


def is_compared(case: Path, path: str) -> bool:
    """True if the case compares the generated file."""
    patterns = yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))["compare"]
    return any(fnmatch(path, pattern) for pattern in patterns)


def read_specs(case: Path) -> dict[str, str]:
    folder = case / "specs"
    if not folder.is_dir():
        return {"spec.yaml": (case / "spec.yaml").read_text(encoding="utf-8")}
    return read_tree(folder, "*.yaml")


def read_tree(folder: Path, pattern: str = "*.py") -> dict[str, str]:
    paths = sorted(folder.rglob(pattern))
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def write(folder: Path, tree: Mapping[str, str]) -> None:
    for path, text in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


def run(folder: Path) -> str:
    """Return what `use.py` prints; fail the test if it fails."""
    command = [*python_command(os.environ), "-c", USE]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
