"""Commands that are killed at any moment, and two commands at once, in processes of their own."""

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
from toolgen.project.files.atomic_write import STAGE

from tests.preloaded import python_command

from .conftest import SPEC, Cli

Tree = dict[str, str]


class Twins:
    """A project with two states of its specs, and the expected output of each."""

    def __init__(self, project: Cli, count: int, scratch: Path, states: tuple[int, ...] = (0, 1, 0)) -> None:
        self.project, self.count, self.scratch = project, count, scratch
        scratch.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(scratch), "TOOLGEN_CACHE_DIR": str(scratch / "cache")}
        (project.root / "specs/greet.yaml").unlink()
        self.wanted: list[Tree] = []
        self.seconds = 0.0
        for state in states:  # the last time from the cache, as in the runs that are killed
            self.set(state)
            began = time.monotonic()
            assert self.start("generate", to_kill=True).wait() == 0
            self.seconds = time.monotonic() - began
            self.wanted.append(self.tree())

    def set(self, state: int) -> None:
        """Change all specs; add or remove one tool with its files."""
        shutil.rmtree(self.project.root / "specs")
        for number in range(self.count + state):
            text = SPEC.replace("NAME", f"tool_{number:04}")
            self.project.spec(f"tool_{number:04}", text.replace("hello", "goodbye") if state else text)

    def start(self, verb: str, *, to_kill: bool = False) -> subprocess.Popen[bytes]:
        command = [sys.executable] if to_kill else python_command(self.environment)
        return subprocess.Popen(
            [*command, "-m", "toolgen", verb],
            cwd=self.project.root,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait_for_stage(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the process begins to write, or has ended."""
        while process.poll() is None and not (self.project.root / "generated" / STAGE).exists():
            time.sleep(0.0005)

    def run(self, verb: str) -> int:
        return self.start(verb).wait()

    def tree(self) -> Tree:
        """Return the generated files without the staged ones."""
        return {path: text for path, text in self.project.tree().items() if not path.startswith(STAGE)}

    def folders(self) -> set[str]:
        top = self.project.root / "generated"
        return {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_dir()}


def killed_at_random(twins: Twins, moments: int) -> None:
    chance = random.Random(moments)
    state, half_way = 0, 0
    for moment in range(moments):
        before, state = twins.wanted[state], 1 - state
        after = twins.wanted[state]
        twins.set(state)
        process = twins.start("generate", to_kill=True)
        if moment % 2:  # half of them while files are written, a short part of the whole
            twins.wait_for_stage(process)
        time.sleep(chance.uniform(0, twins.seconds * (0.3 if moment % 2 else 1.1)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = twins.tree()
        for path in found.keys() | before.keys() | after.keys():
            assert found.get(path) in (before.get(path), after.get(path)), f"{moment}: {path} is neither"
        half_way += found not in (before, after)
        assert twins.run("check") == (0 if found == after else 1), moment
        assert twins.run("generate") == 0, moment
        assert twins.tree() == after, moment
        assert twins.folders() == {"definitions", "models", "models/shared", "schemas", "tools"}, (
            f"{moment}: litter"
        )
        assert twins.run("check") == 0, moment
        if moment % 10 == 9:
            print(f"{moment + 1} of {moments} moments", file=sys.__stderr__, flush=True)
    print(f"{half_way} of {moments} runs were killed between two files", file=sys.__stderr__)


def test_killed_at_some_moments(project: Cli, tmp_path: Path) -> None:
    killed_at_random(Twins(project, 30, tmp_path / "scratch"), 2)


@pytest.mark.crash
def test_killed_at_two_hundred_moments(project: Cli, tmp_path: Path) -> None:
    killed_at_random(Twins(project, 1000, tmp_path / "scratch"), 200)


def test_two_cold_caches_at_once(project: Cli, tmp_path: Path) -> None:
    twins = Twins(project, 8, tmp_path / "scratch", states=())
    twins.set(0)
    assert [process.wait() for process in [twins.start("generate") for _ in range(3)]] == [0, 0, 0]
    assert twins.run("check") == 0


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no way to take a processor away")
def test_many_cold_specs_are_shared_among_processes(project: Cli, tmp_path: Path) -> None:
    """Several processes generate the same as one."""
    for number in range(60):
        project.spec(f"tool_{number:04}")
    shared = project.process("generate", TOOLGEN_CACHE_DIR=str(tmp_path / "one"))
    assert (shared.code, shared.err) == (0, "")
    before = project.tree()
    shutil.rmtree(project.root / "generated")
    code = "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
    code += "from toolgen.cli import main; sys.exit(main(['generate']))"
    environment = {**os.environ, "TOOLGEN_CACHE_DIR": str(tmp_path / "other")}
    command = [*python_command(environment), "-c", code]
    subprocess.run(command, cwd=project.root, env=environment, check=True)
    assert project.tree() == before


def test_interrupted_while_others_work(project: Cli, tmp_path: Path) -> None:
    """^C reaches the whole group, and leaves neither processes nor files."""
    for number in range(150):
        project.formatted_spec(f"tool_{number:04}")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "toolgen", "generate"],
        cwd=project.root,
        env={**os.environ, "TMPDIR": str(scratch), "TOOLGEN_CACHE_DIR": str(tmp_path / "cold")},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not list(scratch.glob("toolgen-*/toolgen-*/*")) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()  # until no process of the group has stderr open
    assert (process.returncode, said) == (130, b"toolgen: interrupted\n")
    assert list(scratch.iterdir()) == []
    assert not (project.root / "generated").exists()
