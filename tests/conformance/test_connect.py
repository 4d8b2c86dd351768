"""What `toolgen connect --write` writes is read by the clients' own commands, or by others that read their files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PACKAGES, install

pytestmark = pytest.mark.conformance

PROGRAMS = PACKAGES / "node_modules/.bin"
CLIENTS = {
    "codex": ("@openai/codex", ["codex", "mcp", "list"], "shop"),
    "claude-code": ("@anthropic-ai/claude-code", ["claude", "mcp", "list"], "Connected"),
    "gemini-cli": ("@google/gemini-cli", ["gemini", "mcp", "list"], "shop"),
}


IMPORTED = ("cursor", "vscode")
"""Applications without a command of their own: mcporter lists what it finds in their files, and starts it."""


class Folder:
    """A project with one tool, `greet`, and a home folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        (folder / "home/.codex").mkdir(parents=True)
        self.env = {**environment, "HOME": str(folder / "home"), "CODEX_HOME": str(folder / "home/.codex")}
        self.root = folder / "shop"
        self.root.mkdir()
        self.toolgen("init")
        self.toolgen("new", "greet", "--description", "Greet a person.")
        self.toolgen("generate")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the project."""
        done = subprocess.run(
            words, cwd=self.root, env=self.env, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def toolgen(self, *words: str) -> str:
        return self.run(sys.executable, "-m", "toolgen", *words).stdout


@pytest.fixture
def project(environment: dict[str, str], tmp_path: Path) -> Folder:
    return Folder(tmp_path, environment)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_lists_the_server(project: Folder, client: str) -> None:
    package, command, said = CLIENTS[client]
    install(package, path=project.env["PATH"])
    project.toolgen("connect", client, "--write")

    done = project.run(os.fspath(PROGRAMS / command[0]), *command[1:])

    assert said in done.stdout + done.stderr
    assert "shop" in done.stdout + done.stderr


def test_a_command_that_reads_the_files_of_other_clients_starts_the_server(project: Folder) -> None:
    install("--ignore-scripts", "mcporter@0.12.3", path=project.env["PATH"])
    for client in IMPORTED:
        project.toolgen("connect", client, "--scope", "project", "--name", f"shop-{client}", "--write")

    done = project.run(os.fspath(PROGRAMS / "mcporter"), "list", "--json")

    found = {each["source"]["importKind"]: each for each in json.loads(done.stdout)["servers"]}
    assert found.keys() == set(IMPORTED)
    for client, server in found.items():
        assert (server["name"], server["status"]) == (f"shop-{client}", "ok")
        assert [tool["name"] for tool in server["tools"]] == ["greet"]
