"""Other people's protocol suites, from the npm registry: `make conformance`. Slow, and needs the network once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import npm

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ROOT / ".conformance"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
OLDEST_NODE = (22, 19)


def install(*packages: str, path: str) -> None:
    """Install packages of npm beside the checkout, in `.conformance/`."""
    npm.install(PACKAGES, *packages, path=path)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose node is young enough, with the suites installed beside the checkout."""
    path = npm.node_path(PACKAGES, OLDEST_NODE)
    install("--ignore-scripts", INSPECTOR, SUITE, path=path)
    return {**os.environ, "PATH": path, "HOME": str(tmp_path_factory.mktemp("home"))}


collect_ignore = ["project"]
