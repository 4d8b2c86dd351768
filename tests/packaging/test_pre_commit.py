"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself in a repository that uses them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parent.parent.parent
SPEC = """\
name: greet
title: Greet
description: Say hello to a person by name.
annotations: {readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false}
input_schema:
  type: object
  additionalProperties: false
  properties:
    who: {type: string, description: Whom to greet.}
"""


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_the_hooks_pass_and_fail_with_their_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    hooks, shop = tmp_path / "toolgen", tmp_path / "shop"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", ROOT.as_uri(), str(hooks)], check=True)
    (shop / "specs").mkdir(parents=True)
    (shop / "toolgen.toml").touch()
    (shop / "specs/greet.yaml").write_text(SPEC)
    subprocess.run([sys.executable, "-m", "toolgen", "generate", "--quiet"], cwd=shop, check=True)
    git(shop, "init", "--quiet")
    git(shop, "add", "-A")

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "--all-files"]
        return subprocess.run(command, cwd=shop, capture_output=True, text=True, timeout=500)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    passed = {line.split(".")[0] for line in done.stdout.splitlines() if line.endswith("Passed")}
    assert passed == {"toolgen check", "toolgen lint", "toolgen budget"}
    (shop / "specs/greet.yaml").write_text(SPEC.replace("Say hello", "Say goodbye"))
    git(shop, "add", "-A")
    failed = run()
    assert failed.returncode == 1
    assert "CHANGED generated/definitions/greet.py" in failed.stdout
