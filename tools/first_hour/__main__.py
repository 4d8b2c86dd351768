"""Do one job with several systems, two tools and a first answer, and count what it takes.

`python -m tools.first_hour [FOLDER ...]` prints the table of docs/why.md. The folders have the programs of
other systems: `fastmcp` (PyPI) and `toolbox` (npm: @toolbox-sdk/server). The steps are in jobs.toml.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

JOBS = tomllib.loads(Path(__file__).with_name("jobs.toml").read_text("utf-8"))


def do_job(name: str, folder: Path, path: str) -> str:
    """Do a job in an empty folder, and return its row: commands, concepts, lines that are not empty.

    `path` has its program, which is installed. Raises AssertionError if there is no answer.
    """
    job, said = JOBS[name], ""
    commands = [step["run"] for step in job["steps"] if "run" in step]
    written = [step["text"] for step in job["steps"] if "text" in step]
    for step in job["steps"]:
        if "run" in step:
            done = subprocess.run(
                shlex.split(step["run"]),
                cwd=folder,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            said = done.stdout
        else:
            _write(folder / step["file"], step)
    assert "Hello, Ada!" in said, said
    typed = "\n".join([*commands, *written, *(step["file"] for step in job["steps"] if "file" in step)])
    assert all(word in typed for word in job["concepts"].values()), "a concept that nobody has met"
    lines = sum(bool(line.strip()) for text in written for line in text.splitlines())
    concepts = f"{len(job['concepts'])}: {', '.join(job['concepts'])}"
    return f"| {name} | {len(commands)} | {concepts} | {lines} |"


def _write(file: Path, step: dict[str, Any]) -> None:
    """Write a file, or the text in place of another one in it."""
    before = file.read_text("utf-8") if "old" in step else ""
    assert step.get("old", "") in before
    file.write_text(before.replace(step["old"], step["text"]) if before else step["text"], "utf-8")


def rows(path: str) -> Iterator[str]:
    """Yield the row of each system whose program is found."""
    for name, job in JOBS.items():
        if shutil.which(job["program"], path=path):
            with tempfile.TemporaryDirectory() as folder:
                yield do_job(name, Path(folder), path)


if __name__ == "__main__":
    own = os.path.dirname(sys.executable)
    print(*rows(os.pathsep.join([*sys.argv[1:], own, os.environ["PATH"]])), sep="\n")
