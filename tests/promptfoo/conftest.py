"""promptfoo, from the npm registry: `make test-promptfoo`. Slow, and needs the network once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import npm

PACKAGES = Path(__file__).parents[2] / ".promptfoo"
PROMPTFOO = "promptfoo@0.123.1"
DATABASE = "@libsql/linux-x64-gnu@0.5.29"
"""An optional dependency that promptfoo does not start without; the others are SDKs of providers."""
OLDEST_NODE = (22, 22)


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose node is young enough, with promptfoo installed beside the checkout."""
    path = npm.node_path(PACKAGES, OLDEST_NODE)
    npm.install(PACKAGES, "--ignore-scripts", "--omit=optional", PROMPTFOO, DATABASE, path=path)
    home = str(tmp_path_factory.mktemp("home"))
    return {
        **os.environ,
        "PATH": path,
        "HOME": home,
        "PROMPTFOO_CONFIG_DIR": home,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    }
