"""The files of examples/deploy: linted, and started where that is possible."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.end_to_end.replicas import free_port
from tests.replicas.load import Load, Tally
from tests.replicas.project import LEDGER, lay_out

pytestmark = pytest.mark.deploy

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
SECONDS = 60.0


def program(name: str) -> str:
    """Return the path of a program; fails if it is not installed."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    found = shutil.which(name, path=path)
    assert found, f"{name} is not installed: see `make test-deploy`"
    return found


def lint(*command: str) -> str:
    """Run a linter, which must find nothing; return what it says."""
    done = subprocess.run([program(command[0]), *command[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deploy") / "shop"
    lay_out(folder)
    return folder


@contextmanager
def started(
    command: list[str], folder: Path, env: Mapping[str, str], port: int
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server, and wait until it is ready."""
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, env=dict(env), stdout=log, stderr=log)
    try:
        until = time.monotonic() + SECONDS
        while not is_ready(port):
            assert process.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < until, (folder / "server.log").read_text()
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)


def is_ready(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def test_hadolint_accepts_the_containerfile() -> None:
    lint("hadolint", str(DEPLOY / "Containerfile"))


def test_kubernetes_accepts_the_manifest() -> None:
    assert lint("kubernetes-validate", str(DEPLOY / "kubernetes.yaml")).count("passed") == 4


def test_nginx_accepts_the_configuration(tmp_path: Path) -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    text = text.replace("/var/log/nginx", str(tmp_path)).replace("/run/nginx.pid", str(tmp_path / "pid"))
    (tmp_path / "nginx.conf").write_text(text)

    lint("nginx", "-t", "-c", str(tmp_path / "nginx.conf"))


def test_promtool_accepts_the_alerts() -> None:
    lint("promtool", "check", "rules", str(DEPLOY / "alerts.yaml"))


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "shop@.service").read_text()
    # the only thing that does not exist here
    (tmp_path / "shop@.service").write_text(text.replace("/srv/shop/.venv/bin/python", sys.executable))

    assert lint("systemd-analyze", "verify", str(tmp_path / "shop@1.service")) == ""


def test_the_command_of_the_unit_serves_in_an_empty_environment(project: Path) -> None:
    text, port = (DEPLOY / "shop@.service").read_text(), free_port()
    found = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert found is not None
    command = shlex.split(found[1].replace("/srv/shop/.venv/bin/python", sys.executable))
    command[command.index("800%i")], command[command.index("946%i")] = str(port), str(free_port())

    with started(command, project, {LEDGER: str(project / "ledger")}, port) as process:
        process.send_signal(signal.SIGHUP)  # ExecReload
        time.sleep(0.5)
        assert is_ready(port)


def test_gunicorn_reloads_its_workers_under_load(project: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", str(DEPLOY / "gunicorn.conf.py")]
    command += ["-b", f"127.0.0.1:{port}", "--workers", "2"]
    env = {**os.environ, "TOOLGEN_STATELESS": "1", LEDGER: str(project / "ledger")}

    async def run(process: subprocess.Popen[bytes]) -> Tally:
        load = Load(f"http://127.0.0.1:{port}/mcp", 1500, tools=("look",))
        work = asyncio.create_task(load.run(modern=8, legacy=0))
        while load.tally.sent < 500:
            await asyncio.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        return await work

    with started(command, project, env, port) as process:
        tally = asyncio.run(run(process))
    # a call that arrives while its connection is closed has an unknown outcome
    assert len(tally.ended) == 1500
    assert Counter(tally.ended.values())["answered"] > 1400
    assert (project / "server.log").read_text().count("Worker exiting") >= 4
