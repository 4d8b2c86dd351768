"""Errors of commands as the user sees them: `tests/cases/refused/<code>/shell/`.

The folder is a project; its file `command` has one command line per line, and the last one is refused (or,
below `warned`, succeeds with a warning): `case.out` is what it says. A path that ends in `.bytes` is written
out of its hex digits; everybody may write to what the file `writable` names. Modules in `absent` stand for
those that are not installed.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest
from toolgen.language.codes import BUDGET, CODES, IMPLEMENTATIONS, PROJECT, TESTS

from tests.end_to_end.project import Project

CASES = Path(__file__).parents[1] / "cases"


def project_of(case: Path, root: Path) -> list[list[str]]:
    """Create the case's project at `root`; return its command lines."""
    shutil.copytree(case, root, symlinks=True)
    (root / ".git").mkdir()
    for path in root.rglob("*.bytes"):
        path.with_suffix("").write_bytes(bytes.fromhex(path.read_text()))
        path.unlink()
    if (root / "writable").exists():
        for path in (root / "writable").read_text().splitlines():
            (root / path).chmod(0o777)
    lines = (root / "command").read_text().splitlines()
    (root / "command").unlink()
    return [shlex.split(line) for line in lines]


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*/shell")), ids=lambda case: case.parent.name)
def test_case(case: Path, record: bool, tmp_path: Path) -> None:
    project = Project(tmp_path / "project", {"NO_COLOR": "1"})
    lines = project_of(case, project.root)
    root = project.root
    absent = {"PYTHONPATH": str(root / "absent")} if (case / "absent").exists() else {}
    for words in lines:
        done = project.toolgen(*words, **absent)
    code = case.parent.name
    shown, data = (done.stdout, "") if code in TESTS else (done.stderr, done.stdout)
    if code in BUDGET:
        data = ""  # the sizes are shown in any case
    report = shown.replace(str(root.resolve()), "PROJECT").replace(sys.executable, "PYTHON")
    expected = case.with_name("case.out")
    of_warned = case.parent.parent.name == "warned"
    expected_exit = (
        0
        if of_warned
        else 1
        if code in {*BUDGET, *IMPLEMENTATIONS, *TESTS, "sunset-passed", "vendored-changed"}
        else 2
    )
    assert (done.returncode, data) == (expected_exit, "")
    assert f"{CODES[code].severity}[{code}]" in report
    if record:
        expected.write_text(report, encoding="utf-8", newline="\n")
    assert report == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(PROJECT))
def test_every_code_has_a_case(code: str) -> None:
    assert CODES[code].severity == "error"
    assert (CASES / "refused" / code / "case.out").exists()
