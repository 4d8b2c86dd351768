"""^C ends `generate` with exit code 130 at any moment, and leaves all of the output or none of it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.end_to_end.project import ECHO_SPEC, Project

# before this time, Python itself is still starting and ends with exit code 1
START = "open('started', 'w').close()\nimport sys\nfrom toolgen.__main__ import main\nsys.exit(main())"
SHELL = {-signal.SIGINT: 130}  # ended by the signal: a shell shows 130


def many(project: Project, count: int) -> None:
    for number in range(count):
        project.write(f"specs/tool_{number}.yaml", ECHO_SPEC.replace("name: echo", f"name: tool_{number}"))


def tree(root: Path) -> dict[str, bytes]:
    files = [path for path in root.rglob("*") if path.is_file() and ".toolgen" not in path.as_posix()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def interrupted(project: Project, after: float, cache: Path) -> tuple[int, str]:
    """Run `generate` with a new cache, send ^C to its group after some seconds; return exit code and stderr."""
    started = project.root / "started"
    started.unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", START, "generate"],
        cwd=project.root,
        env=project.environment({"TOOLGEN_CACHE_DIR": str(cache)}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not started.exists() and process.poll() is None:
        time.sleep(0.005)
    time.sleep(after)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def stress(project: Project, tools: int, times: int) -> None:
    many(project, tools)
    chance = random.Random(15)
    output = project.root / "generated"
    began = time.monotonic()
    project.generate()
    seconds = time.monotonic() - began
    whole = tree(output)
    codes = []
    for number in range(times):
        shutil.rmtree(output, ignore_errors=True)
        after = chance.uniform(0, seconds)
        code, said = interrupted(project, after, project.root / f"cold-{number}")
        codes.append(code)
        if code == 0:  # it had finished already
            assert tree(output) == whole
            continue
        assert SHELL.get(code, code) == 130, f"after {after:.3f} s: {code}\n{said}"
        if code == 130:
            assert said == "toolgen: interrupted\n", f"after {after:.3f} s"
        assert not output.exists() or tree(output) in ({}, whole), f"after {after:.3f} s: half of the output"
    assert codes.count(130) > times // 3, codes


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups")
def test_an_interrupt_at_a_random_moment_is_exit_code_130(project: Project) -> None:
    stress(project, tools=60, times=5)


@pytest.mark.crash
def test_thirty_interrupts_at_random_moments(project: Project) -> None:
    stress(project, tools=150, times=30)


COMPUTES = """
import asyncio, os, signal
from generated.tools.echo import EchoTool

class Echo(EchoTool):
    async def execute(self, request, context):
        {step}
        await asyncio.sleep(30)
"""


@pytest.mark.parametrize(
    "step",
    ["os.kill(os.getpid(), signal.SIGINT)", "await asyncio.sleep(0); os.kill(os.getpid(), signal.SIGINT)"],
)
def test_an_interrupt_while_a_tool_computes_ends_the_call(project: Project, step: str) -> None:
    project.add_tool("echo", ECHO_SPEC, COMPUTES.format(step=step))
    project.generate()
    done = project.toolgen("call", "echo", "--input", '{"text": "a"}')
    assert (done.returncode, done.stderr) == (130, "toolgen: interrupted\n")


WHILE_IMPORTED = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
sys.argv = ["toolgen", "generate"]
from toolgen.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["toolgen.cli", "toolgen.cli.commands.generate"])
def test_an_interrupt_while_modules_are_imported_is_exit_code_130(project: Project, module: str) -> None:
    done = project.python("-c", WHILE_IMPORTED.format(module=module), preloaded=False)
    assert (done.returncode, done.stderr) == (130, "toolgen: interrupted\n")
    assert not (project.root / "generated").exists()
