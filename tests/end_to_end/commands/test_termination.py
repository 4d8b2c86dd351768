"""Any signal that ends toolgen ends the processes that it started, and leaves none of its files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.end_to_end.project import Project
from tests.processes import NOTES, PATIENCE, assert_gone
from tests.samples import sample

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups")

SIGNALS = pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        signal.SIGKILL,
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
    ],
    ids=lambda each: each.name,
)
SPEC = """
name: echo
description: Wait.
annotations: {readOnlyHint: true}
input_schema: {type: object, additionalProperties: false}
"""
WAITS = f"""
{NOTES}
time.sleep({2 * PATIENCE})
"""
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
IMPLEMENTATION = f"""
from generated.tools.echo import EchoTool


class Echo(EchoTool):
    async def execute(self, request, context):
        exec({STUBBORN + WAITS!r})
"""
COMMANDS = {
    "test": ("test",),
    "check": ("check", "--implementations"),
    "import": ("import", "python", "waits.py"),
}


def ended(project: Project, number: signal.Signals, *words: str) -> None:
    """Run a command until one of its processes has noted its ids; end it with a signal."""
    temporary, specs = project.root / "temporary", project.root / "specs"
    temporary.mkdir()
    before = sorted(specs.iterdir())
    process = subprocess.Popen(
        [sys.executable, "-m", "toolgen", *words],
        cwd=project.root,
        env=project.environment({"TMPDIR": str(temporary)}),
        stdin=subprocess.PIPE,  # which stays open
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not (project.root / "pids").exists():
            assert process.poll() is None, "it ended too early"
            time.sleep(0.05)
        process.send_signal(number)
        process.wait(60)
    finally:
        process.kill()
    assert process.returncode == 130 or number != signal.SIGINT
    assert sorted(specs.iterdir()) == before
    assert_gone(project.root)
    left = [path for path in temporary.rglob("*") if path.is_file()]
    assert left == []


@SIGNALS
@pytest.mark.parametrize("command", sample(COMMANDS, (0, 2)))
def test_no_process_and_no_file_is_left(project: Project, command: str, number: signal.Signals) -> None:
    project.add_tool("echo", SPEC, IMPLEMENTATION if command == "test" else WAITS)
    project.write("waits.py", WAITS)
    project.generate()
    ended(project, number, *COMMANDS[command])


SERVER_COMMANDS = {
    "test": ("test", "--against"),
    "breaking": ("breaking", "--against"),
    "call": ("call", "echo", "--against"),
    "import": ("import", "mcp", "--stdio"),
}


@pytest.mark.parametrize(
    ("command", "number"),
    sample(
        [
            ("test", signal.SIGTERM),
            ("import", signal.SIGINT),
            ("test", signal.SIGHUP),
            ("breaking", signal.SIGTERM),
            ("call", signal.SIGTERM),
        ],
        (1,),
    ),
)
def test_no_server_is_left(project: Project, command: str, number: signal.Signals) -> None:
    """It does not end when its stdin is closed, nor by SIGTERM. (After a SIGKILL of toolgen it continues: docs/limits.md.)"""
    project.write("specs/echo.yaml", SPEC)
    project.write("server.py", STUBBORN + WAITS)
    words = (*SERVER_COMMANDS[command], f"{sys.executable} server.py")
    ended(project, number, *words)
