"""generate --watch: shows errors and keeps running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import SPEC, Cli


class Watcher:
    """A running `toolgen generate --watch`, and its output."""

    def __init__(self, root: Path, log: Path) -> None:
        self._log = log
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toolgen", "generate", "--watch"],
            cwd=root,
            stdout=log.open("wb"),
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )

    def said(self) -> str:
        return self._log.read_text()

    def turns(self) -> int:
        return self.said().count("watching for changes; ^C stops\n")

    def until(self, holds: Callable[[], bool]) -> None:
        for _ in range(3000):
            if holds():
                return
            assert self.process.poll() is None, self.said()
            time.sleep(0.01)
        raise AssertionError(self.said())

    def after(self, change: Callable[[], object]) -> str:
        """Apply `change` and return the output that it causes."""
        before, turns = len(self.said()), self.turns()
        change()
        self.until(lambda: self.turns() > turns)
        return self.said()[before:]


@pytest.fixture
def watcher(project: Cli, tmp_path: Path) -> Iterator[Watcher]:
    watcher = Watcher(project.root, tmp_path / "log")
    try:
        yield watcher
    finally:
        watcher.process.kill()
        watcher.process.wait()


def test_watch(project: Cli, watcher: Watcher) -> None:
    watcher.until(lambda: watcher.turns() == 1)
    assert (project.root / "generated/tools/greet.py").exists()
    said = watcher.after(lambda: project.spec("greet", SPEC.replace("NAME", "greet").replace("hello", "hi")))
    assert "1 tool, 2 files written" in said
    assert "Say hi" in (project.root / "generated/tools/greet.py").read_text()

    said = watcher.after(lambda: project.spec("other", "name: [\n"))
    assert "specs/other.yaml:1:8: error[yaml-syntax]" in said
    said = watcher.after(lambda: project.spec("other"))
    assert "2 tools" in said
    said = watcher.after((project.root / "specs/other.yaml").unlink)
    assert "1 tool, " in said
    assert "3 removed" in said

    said = watcher.after(lambda: (project.root / "toolgen.toml").write_text("specs = 1\n"))
    assert "error[invalid-setting]" in said
    said = watcher.after(lambda: (project.root / "toolgen.toml").write_text('targets = ["mcp"]\n'))
    assert "removed" in said
    assert not (project.root / "generated/openai_tools.py").exists()

    said = watcher.after((project.root / "specs/greet.yaml").unlink)
    assert "error[no-specs]" in said
    watcher.after(lambda: project.spec("greet"))
    assert project("check").code == 0

    turns = watcher.turns()
    time.sleep(0.5)
    assert watcher.turns() == turns, "nothing was saved, and something was done"
    watcher.process.send_signal(signal.SIGINT)
    assert watcher.process.wait() == 130
    assert watcher.said().endswith("toolgen: interrupted\n")
