"""What `toolgen connect --write` writes is read by the clients' own commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PACKAGES, install

pytestmark = pytest.mark.conformance

CLIENTS = {
    "codex": ("@openai/codex", ["codex", "mcp", "list"], "shop"),
    "claude-code": ("@anthropic-ai/claude-code", ["claude", "mcp", "list"], "Connected"),
    "gemini-cli": ("@google/gemini-cli", ["gemini", "mcp", "list"], "shop"),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_lists_the_server(environment: dict[str, str], client: str, tmp_path: Path) -> None:
    package, command, said = CLIENTS[client]
    install(package, path=environment["PATH"])
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    env = {**environment, "HOME": str(tmp_path / "home"), "CODEX_HOME": str(tmp_path / "home/.codex")}
    project = tmp_path / "shop"
    project.mkdir()

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    toolgen = [sys.executable, "-m", "toolgen"]
    run(*toolgen, "init")
    run(*toolgen, "new", "greet", "--description", "Greet a person.")
    run(*toolgen, "generate")
    run(*toolgen, "connect", client, "--write")

    listed = run(os.fspath(PACKAGES / "node_modules/.bin" / command[0]), *command[1:])

    assert said in listed
    assert "shop" in listed
