"""Clients start servers in any folder: Python files there must not run in the place of toolgen."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import pytest
from toolgen.cli.client_config.config_file import CLIENTS

from tests.end_to_end.project import Project
from tests.samples import sample

TRAP = "import os; open(os.environ['SPRUNG'], 'a').write(__file__)\n"
TRAPS = ("toolgen/__init__.py", "toolgen.py", "pydantic.py", "mcp.py", "json.py", "generated/__init__.py")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def start_beside_traps(project: Project, folder: Path, command: list[str]) -> tuple[dict[str, object], bool]:
    """Return the answer of a server that starts in a folder full of traps, and whether one was sprung."""
    for path in TRAPS:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(TRAP)
    sprung = folder / "sprung"
    done = subprocess.run(
        command,
        cwd=folder,
        env=project.environment({"SPRUNG": str(sprung)}),
        input=json.dumps(INITIALIZE) + "\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 or sprung.exists(), done.stderr
    first = done.stdout.partition("\n")[0]
    return json.loads(first) if first else {}, sprung.exists()


@pytest.mark.parametrize("name", sample(sorted(CLIENTS), (0, 2)))
def test_a_server_that_a_client_starts_runs_no_file_of_its_folder(
    project: Project, tmp_path: Path, name: str
) -> None:
    project.generate()
    printed = project.toolgen("connect", name, "--name", "shop").stdout
    client = CLIENTS[name]
    entry = (tomllib.loads if client.is_toml else json.loads)(printed)[client.section]["shop"]

    answer, is_sprung = start_beside_traps(project, tmp_path / "opened", [entry["command"], *entry["args"]])

    assert not is_sprung
    assert answer["id"] == 1
