"""A program that starts in a fork is started as `python` starts it."""

from __future__ import annotations

import os
import pkgutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import toolgen

from tests.preloaded import forking, python_command
from tests.processes import is_gone

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

SHOW = """
import json, os, signal, sys, threading
handlers = [str(signal.getsignal(each)) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
loaded = sorted(name for name in sys.modules if name.partition(".")[0] in ("tests", "generated"))
handlers += [sys.stdout.write_through, sys.stderr.line_buffering, sys.stdin.errors, sys.stderr.errors]
seen = [sys.argv, sys.orig_argv[1:], os.getcwd(), sys.path, __name__, dict(os.environ), handlers, loaded]
descriptors = len(os.listdir("/dev/fd"))
print(json.dumps([*seen, descriptors, sys.stdin.read()]))
print("said", file=sys.stderr)
sys.exit(3)
"""
ALONE = """
import importlib, os, sys
libraries, names = (words.split() for words in sys.argv[1:])
for name in libraries:
    importlib.import_module(name)
for name in names:
    if not os.fork():
        importlib.import_module(name)
        os._exit(0)
    if os.wait()[1]:
        print(name)
"""
WAIT = """
import os, sys, time
print(os.getpid(), flush=True)
time.sleep(99)
"""


@pytest.mark.parametrize("words", [("-m", "show", "-x"), ("show.py", "-x"), ("-c", SHOW, "-x")])
def test_a_program_sees_what_it_would_see_in_a_python_of_its_own(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "show.py").write_text(SHOW)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path / "more"), "MARK": "ä"}
    env |= {name: value for name, value in os.environ.items() if name.startswith(("LC_", "LANG", "PYTHON"))}
    said = [
        subprocess.run(
            [*command, *words],
            cwd=tmp_path,
            env=env,
            input="given",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        for command in ([sys.executable], python_command(env))
    ]
    ordinary, forked = ((done.returncode, done.stdout, done.stderr) for done in said)
    assert said[1].args[0:2] != said[0].args[0:2], "one of them is forked"
    assert forked == ordinary
    assert (said[0].returncode, said[0].stderr) == (3, "said\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_program_and_is_the_exit_code(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "wait.py").write_text(WAIT)
    process = subprocess.Popen(
        [*python_command(os.environ), "wait.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    program = int(process.stdout.readline())
    assert program != process.pid
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    assert is_gone(program)


def alone(*names: str) -> str:
    """Import each module in a process that has nothing else of toolgen; return which could not be imported."""
    libraries = " ".join(name for name in forking.LIBRARIES if name != "jsonschema")
    command = [sys.executable, "-W", "ignore", "-c", ALONE, libraries, " ".join(names)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout


@pytest.mark.slow
def test_each_module_can_be_imported_alone() -> None:
    """Each program that starts in a fork has some of them already, and must not rely on that."""
    found = pkgutil.walk_packages(toolgen.__path__, "toolgen.")
    # The first runs the program; the others need frameworks.
    left_out = ("toolgen.__main__", "toolgen.serving.bridges.", "toolgen.serving.adopted.fastmcp")
    names = [each.name for each in found if not each.name.startswith(left_out)]
    assert len(names) > 400
    assert alone(*names, "toolgen.absent") == "toolgen.absent\n"
