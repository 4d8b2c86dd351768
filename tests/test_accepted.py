"""Specs that are accepted: what they generate, compared byte for byte, and what that prints when it is used.

A case is a folder of `tests/cases/accepted/`: `spec.yaml` or `specs/`, `use.py`, and in `want/` what is
wanted of them. `pytest --record` writes `want/`, unless `use.py` fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from toolgen.data.package import PackageSettings
from toolgen.pipeline import compile_project

from tests.models.kit import TARGETS

CASES = sorted(path.parent for path in (Path(__file__).parent / "cases" / "accepted").glob("*/use.py"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_accepted(case: Path, tmp_path: Path, record: bool) -> None:
    output = compile_project(texts_of(case), TARGETS, PackageSettings(), {})
    write(tmp_path / "generated", output.tree)
    shutil.copy(case / "use.py", tmp_path)
    printed = run(tmp_path)
    want = case / "want"
    if record:
        shutil.rmtree(want, ignore_errors=True)
        write(want / "generated", output.tree)
        (want / "use.out").write_text(printed)
    files = (want / "generated").rglob("*.py")
    wanted = {path.relative_to(want / "generated").as_posix(): path.read_text() for path in files}
    assert dict(output.tree) == wanted
    assert printed == (want / "use.out").read_text()


def texts_of(case: Path) -> dict[str, str]:
    folder = case / "specs"
    if not folder.is_dir():
        return {"spec.yaml": (case / "spec.yaml").read_text()}
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.yaml"))}


def write(folder: Path, tree: object) -> None:
    assert isinstance(tree, dict)
    for path, text in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, newline="\n")


def run(folder: Path) -> str:
    """What `use.py` prints; it fails the test if it fails."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", "use.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
