"""Accepted specs: their output, compared byte for byte, and the output of a program that uses it.

A case is a folder of `tests/cases/accepted/`:

- `spec.yaml`, or several specs in `specs/`;
- `use.py`, which uses the generated package and prints what it sees;
- `want/generated/` and `want/use.out`: what is expected. `pytest --record` writes them, unless `use.py` fails;
- `case.yaml`, in a focused case: the generated files that it compares. Every other file must be that of the
  case `minimal` but for the tool's name. A case without `case.yaml` compares the whole tree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from toolgen.compile.pipeline import compile_project
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS

ACCEPTED = Path(__file__).parent / "cases" / "accepted"
CASES = sorted(path.parent for path in ACCEPTED.glob("*/use.py"))
WHOLE = {"everything", "minimal", "names"}


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
    rest = {path: text for path, text in tree.items() if path not in compared}
    minimal = read_tree(ACCEPTED / "minimal" / "want" / "generated")
    assert rename_tool(rest, tree) == {path: minimal[path] for path in rename_tool(rest, tree)}


def test_three_cases_compare_whole_trees() -> None:
    assert {case.name for case in CASES if not (case / "case.yaml").exists()} == WHOLE


def is_compared(case: Path, path: str) -> bool:
    """True if the case compares the generated file."""
    file = case / "case.yaml"
    if not file.exists():
        return True
    return any(
        fnmatch(path, pattern) for pattern in yaml.safe_load(file.read_text(encoding="utf-8"))["compare"]
    )


def rename_tool(files: Mapping[str, str], tree: Mapping[str, str]) -> dict[str, str]:
    """Return files with `ping` for the name of the tree's tool, if there is one tool."""
    modules = [path for path in tree if path.startswith("tools/") and path != "tools/__init__.py"]
    if len(modules) > 1:
        return dict(files)
    module = Path(modules[0]).stem
    classes = re.search(r"^class (\w+)Tool\(", tree[modules[0]], re.MULTILINE)
    assert classes is not None
    names = {module: "ping", module.upper(): "PING", classes[1]: "Ping"}
    pattern = re.compile(f"(?<![A-Za-z])(?:{'|'.join(map(re.escape, names))})")
    return {path: pattern.sub(lambda found: names[found[0]], text) for path, text in files.items()}


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
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", "use.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
