"""Files of a project that are larger, deeper or longer than any of use end in a diagnostic."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from toolgen.cli import main

from tests.bombs.limited_process import MEGABYTES, toolgen
from tests.samples import sample

SPARSE = 8 * 1024**3
GREET = "name: greet\ndescription: Greet someone.\ninput_schema: {type: object}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "greet.yaml").write_text(GREET)
    (tmp_path / "toolgen.toml").write_text('targets = ["mcp"]\n')
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 100_000, "arrays and inline tables are nested too deeply"),
        ("# x\n" * 70_000, "more than 262,144 characters"),
    ],
)
@pytest.mark.parametrize("file", ["toolgen.toml", "pyproject.toml"])
def test_toml_beyond_a_limit_is_refused_before_it_is_parsed(
    folder: Path, file: str, text: str, said: str
) -> None:
    if file == "pyproject.toml":
        (folder / "toolgen.toml").unlink()
    (folder / file).write_text(f"# toolgen\n{text}\n")
    done = toolgen("check", folder=folder)
    assert done.megabytes < MEGABYTES
    assert done.code == 2
    assert "error[too-complex]" in done.err
    assert said in done.err


@pytest.mark.parametrize(
    "path",
    sample(
        [
            "toolgen.toml",
            "pyproject.toml",
            "generated/toolgen.manifest.json",
            "generated/models/greet.py",
            "templates/mcp/a.py.jinja",
            "specs/greet.yaml",
        ],
        (0, 2, 5),
    ),
)
def test_a_sparse_file_is_not_read(folder: Path, path: str) -> None:
    (folder / "toolgen.toml").write_text('targets = ["mcp"]\ntemplates = "templates"\n')
    (folder / "templates" / "mcp").mkdir(parents=True)
    assert main(["generate"]) == 0
    with open(folder / path, "ab") as file:
        os.truncate(file.fileno(), SPARSE)
    done = toolgen("check", folder=folder)
    assert done.megabytes < MEGABYTES
    assert done.code == 2
    assert "bytes" in done.err
    if path == "specs/greet.yaml":
        assert "error[too-complex]" in done.err
        assert "at most 4,194,304 are read" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    sample(
        [
            ("a: " + "[" * 50_000, "error[too-deep] "),
            (
                "a: &a0 [1, 2]\n" + "".join(f"b{n}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(30)),
                "error[alias-bomb] ",
            ),
            ("#" * 2_000_000, "error[bad-template] "),
        ],
        (0, 1),
    ),
)
def test_a_target_beyond_a_limit_is_refused(folder: Path, text: str, said: str) -> None:
    (folder / "toolgen.toml").write_text('targets = ["own"]\ntemplates = "templates"\n')
    (folder / "templates" / "own").mkdir(parents=True)
    (folder / "templates" / "own" / "target.yaml").write_text(text)
    done = toolgen("check", folder=folder)
    assert done.megabytes < MEGABYTES
    assert done.code == 2
    assert said in done.err


OUT_OF_MEMORY = """
import resource, sys
from toolgen.cli import main
from toolgen.cli.commands import check

def run(args):
    held = []
    while True:
        held.append(bytes(1_000) if len(held) > 300 else bytes(1_000_000))

check.run = run
resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))
sys.exit(main(["check"]))
"""


def test_running_out_of_memory_is_no_finding(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (3, "toolgen: out of memory\n")
