"""Commands of the workspace: the allow-list, limits, and processes that are left behind."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from examples.store.command_rules import RULES, NotAllowedError, Rule
from examples.store.commands import Output, Runner, TooSlowError
from examples.store.workspace import OutsideWorkspaceError, Workspace
from tests.processes import is_gone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the workspace needs a POSIX system")


@pytest.fixture
def runner(workspace: Workspace) -> Runner:
    return Runner(workspace, RULES)


def words(value: object) -> str:
    return ascii(" ".join(value)) if isinstance(value, tuple) else ""


def run(runner: Runner, command: str, *arguments: str, folder: str = ".", seconds: float = 100.0) -> Output:
    return asyncio.run(runner.run(command, arguments, folder, seconds))


def script(workspace: Workspace, code: str, max_output: int = 60_000) -> Runner:
    """Return a runner whose only command, `it`, runs this Python code, which no listed command would do."""
    programs = workspace.root.parent / "programs"
    programs.mkdir(exist_ok=True)
    it = programs / "it"
    it.write_text(f"#!{sys.executable} -I\nimport os, signal, subprocess, sys, time\n{code}\n")
    it.chmod(0o755)
    return Runner(workspace, {"it": Rule()}, f"{programs}:/usr/bin:/bin", max_output)


@pytest.mark.parametrize(
    "arguments",
    [
        ("sh", "-c", "id"),
        ("/bin/cat", "README.md"),
        ("../cat", "README.md"),
        ("find", ".", "-exec", "touch", "owned", ";"),
        ("find", ".", "-delete"),
        ("sort", "-oowned", "README.md"),
        ("uniq", "README.md", "owned"),
        ("cat", "pipe"),
    ],
    ids=words,
)
def test_other_commands_and_arguments_are_refused(runner: Runner, arguments: tuple[str, ...]) -> None:
    os.mkfifo(runner.workspace.root / "pipe")
    before = sorted(runner.workspace.root.rglob("*"))
    with pytest.raises(NotAllowedError):
        run(runner, *arguments)
    assert sorted(runner.workspace.root.rglob("*")) == before


ESCAPES = """.. ../outside/secret /etc/passwd //etc/passwd notes/../../outside/secret
    link ./link linked linked/secret .hidden notes/.hidden"""


@pytest.fixture
def outside(workspace: Workspace) -> Path:
    """Create a folder outside of the workspace with a secret, links to it from inside, and a hidden copy."""
    folder = workspace.root.parent / "outside"
    folder.mkdir()
    (folder / "secret").write_text("top secret")
    (workspace.root / "link").symlink_to(folder / "secret")
    (workspace.root / "linked").symlink_to(folder, target_is_directory=True)
    (workspace.root / ".hidden").write_text("top secret")
    return folder


@pytest.mark.parametrize("path", ESCAPES.split())
@pytest.mark.parametrize("command", ["cat", "find", "ls"])
def test_nothing_leaves(runner: Runner, outside: Path, command: str, path: str) -> None:
    with pytest.raises(OutsideWorkspaceError):
        run(runner, command, path)
    with pytest.raises(OutsideWorkspaceError):
        run(runner, "ls", folder=path)


def test_links_are_not_followed_and_hidden_files_not_read(runner: Runner, outside: Path) -> None:
    output = run(runner, "grep", "-r", "top")
    assert (output.exit_code, output.stdout) == (1, b"")
    assert b"secret" not in run(runner, "ls", "-R").stdout
    assert b"secret" not in run(runner, "find").stdout


MUCH_TOO_LATE = 60.0  # seconds: far less than the commands sleep, far more than a busy machine needs
SLEEPERS = {
    "ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(200)",
    "closes its output": "os.close(1)\nos.close(2)\ntime.sleep(200)",
}


@pytest.mark.parametrize("code", SLEEPERS.values(), ids=SLEEPERS.keys())
def test_a_command_beyond_its_time_limit_is_ended(workspace: Workspace, code: str) -> None:
    note = workspace.root / "processes"
    start = "child = subprocess.Popen(['sleep', '200'])\n"
    tell = "open('processes', 'w').write(f'{os.getpid()} {child.pid}')\n"
    it = script(workspace, start + tell + code)
    began = time.monotonic()
    with pytest.raises(TooSlowError, match=r"stopped after 1\.5 seconds"):
        run(it, "it", seconds=1.5)
    assert time.monotonic() - began < MUCH_TOO_LATE
    assert [is_gone(int(process)) for process in note.read_text().split()] == [True, True]
