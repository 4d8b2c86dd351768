"""Unpack toolgen as users install it: a wheel with byte-code, of this checkout or of any commit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PARTS = ("pyproject.toml", "README.md", "LICENSE", "generator", "templates")


def unpack(commit: str | None, work: Path, name: str) -> Path:
    """Return a folder for PYTHONPATH with toolgen at `commit`; None stands for this checkout."""
    source = (
        _checkout(work / f"source-{name}") if commit is None else _commit(commit, work / f"source-{name}")
    )
    target = work / f"toolgen-{name}"
    shutil.rmtree(target, ignore_errors=True)
    _pip("--target", str(target), str(source))
    return target


def _pip(*words: str) -> None:
    flags = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index")
    subprocess.run([sys.executable, "-m", "pip", "install", *flags, *words], check=True)


def _checkout(folder: Path) -> Path:
    """Copy the checkout without build output, so that no old module is included."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for part in _PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy2(source, folder / part)
    return folder


def _commit(commit: str, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = subprocess.run(
        ["git", "archive", "--format=tar", commit, "--", *_PARTS],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder
