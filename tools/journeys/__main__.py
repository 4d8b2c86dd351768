"""Run the journeys, and print their commands with seconds. Exit code 1 if one fails or takes too long."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import npm

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGES = ROOT / ".conformance"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
_LAUNCHER = PACKAGES / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
_OLDEST_NODE = (22, 19)


def environment(scratch: Path, python: Path) -> dict[str, str]:
    """Return an environment with `toolgen`, `python` and `inspector` on PATH, and a home of its own."""
    path = npm.node_path(PACKAGES, _OLDEST_NODE)
    if not _LAUNCHER.exists():
        npm.install(PACKAGES, "--ignore-scripts", INSPECTOR, path=path)
    programs, home = scratch / "bin", scratch / "home"
    programs.mkdir()
    home.mkdir()
    inspector = programs / "inspector"
    inspector.write_text(f'#!/bin/sh\nexec node {shlex.quote(str(_LAUNCHER))} --cli "$@"\n')
    inspector.chmod(0o755)
    toolgen = programs / "toolgen"
    toolgen.write_text(f'#!/bin/sh\nexec {shlex.quote(str(python))} -m toolgen "$@"\n')
    toolgen.chmod(0o755)
    found = os.pathsep.join([str(programs), str(python.parent), path])
    return {**os.environ, "PATH": found, "HOME": str(home)}


def run_journey(folder: Path) -> bool:
    """Run one journey in an empty folder; True if every command succeeded in time."""
    journey = tomllib.loads((folder / "journey.toml").read_text("utf-8"))
    print(f"\n== {folder.name}: {journey['title']}")
    python = (
        ROOT / journey["environment"] / "bin/python" if "environment" in journey else Path(sys.executable)
    )
    with tempfile.TemporaryDirectory(prefix="toolgen-journey-") as name:
        scratch = Path(name)
        env, project, port = environment(scratch, python), scratch / "project", _free_port()
        project.mkdir()
        _copy(folder / "files", project, port)
        with _running(journey.get("background", ""), project, env, port):
            seconds = [_step(each, folder, project, env, port) for each in journey["steps"]]
    commands = [each for each in journey["steps"] if "run" in each]
    total = sum(each for each in seconds if each is not None)
    is_good = None not in seconds and total <= journey["seconds"]
    verdict = "reached" if is_good else "NOT REACHED"
    print(f"{verdict}: {len(commands)} commands, {total:.1f} s of at most {journey['seconds']} s")
    return is_good


def _step(
    step: Mapping[str, Any], folder: Path, project: Path, env: Mapping[str, str], port: int
) -> float | None:
    """Run one step; return its seconds, None if it failed."""
    if "edit" in step:
        path = step["edit"]
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text((folder / "files/later" / path).read_text("utf-8"), "utf-8")
        print(f"         (edit {path})")
        return 0.0
    command = step["run"].replace("{port}", str(port))
    started = time.perf_counter()
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    seconds = time.perf_counter() - started
    print(f"{seconds:6.1f} s $ {command}")
    if done.returncode == step.get("exits", 0) and step.get("says", "") in done.stdout + done.stderr:
        return seconds
    print(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return None


def _copy(source: Path, project: Path, port: int) -> None:
    if not source.is_dir():
        return
    shutil.copytree(source, project, dirs_exist_ok=True, ignore=shutil.ignore_patterns("later"))
    for path in project.rglob("*"):
        if path.is_file():
            path.write_text(path.read_text("utf-8").replace("{port}", str(port)), "utf-8")


@contextmanager
def _running(command: str, project: Path, env: Mapping[str, str], port: int) -> Iterator[None]:
    if not command:
        yield
        return
    process = subprocess.Popen(shlex.split(command.replace("{port}", str(port))), cwd=project, env=env)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def main() -> int:
    """Run the journeys that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="the folder of one journey")
    only = parser.parse_args().only
    folders = sorted(path.parent for path in HERE.glob("*/journey.toml") if only in (None, path.parent.name))
    if not folders:
        parser.error(f"there is no journey {only}")
    reached = [run_journey(folder) for folder in folders]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
