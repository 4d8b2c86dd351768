"""Fixtures: a project whose tools are forwarded to `upstream.py`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.project import Project
from tests.preloaded import python_command

UPSTREAM = Path(__file__).with_name("upstream.py")


def upstream_command(folder: Path) -> list[str]:
    """Return the command of the upstream whose list is in `folder`."""
    return [*python_command(os.environ), str(UPSTREAM), str(folder / "listed.json")]


class Gateway(Project):
    """A project in front of an upstream."""

    def change(self, **changes: Any) -> None:
        """Let the upstream list something else from its next start on."""
        (self.root / "listed.json").write_text(json.dumps(changes))

    @property
    def upstream(self) -> Path:
        """Return the module that names the upstream."""
        return self.root / "tools" / "_upstreams" / "shop.py"


def settings_of(root: Path) -> dict[str, str]:
    """Return the environment of a project's processes."""
    return {"TOOLGEN_CACHE_DIR": str(root / "cache")}


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a gateway as `import mcp --implement` and `generate` leave it."""
    root = tmp_path_factory.mktemp("gateway")
    made = Gateway(root, settings_of(root))
    made.write("toolgen.toml", 'implementations = "tools"\nserver.version = "1.0.0"\n')
    made.change()
    done = made.toolgen("import", "mcp", "--implement", "--", *upstream_command(root))
    assert done.returncode == 0, done.stderr
    made.generate()
    return root


@pytest.fixture
def gateway(imported: Path, tmp_path: Path) -> Gateway:
    """A gateway that a test may change."""
    root = tmp_path / "gateway"
    shutil.copytree(imported, root)
    made = Gateway(root, settings_of(root))
    made.upstream.write_text(made.upstream.read_text().replace(str(imported), str(root)))
    return made
