"""Create the toolchain of the Bazel workspace, an environment with toolgen[cli]: `python toolchain.py DIR`.

It contains this checkout and the versions in requirements/dev.txt. Compiled modules contain the hash of their
source instead of its date, and no path of the folder in which they were created, so the environment can be
moved.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def make(folder: Path) -> None:
    """Create the toolchain at `folder`, which must not exist."""
    uv = [sys.executable, "-m", "uv"]
    quiet = ["--quiet", "--no-progress"]
    with tempfile.TemporaryDirectory() as built:
        _run(
            [*uv, "build", *quiet, "--no-build-isolation", "--python", sys.executable, "-o", built, str(ROOT)]
        )
        (wheel,) = Path(built).glob("*.whl")
        _run([*uv, "venv", *quiet, "--no-project", "--python", sys.executable, str(folder)])
        versions = ["--constraint", str(ROOT / "requirements" / "dev.txt")]
        _run(
            [
                *uv,
                "pip",
                "install",
                *quiet,
                "--python",
                str(folder),
                *versions,
                f"toolgen[cli] @ {wheel.as_uri()}",
            ]
        )
    by_hash = ["--invalidation-mode", "checked-hash", "-s", str(folder)]
    python = str(folder / "bin" / "python")
    _run([python, "-m", "compileall", "-q", *by_hash, str(folder / "lib")])


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
