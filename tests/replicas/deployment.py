"""Redis, replicas and nginx as plain processes, with the configuration that docs/deploy.md shows."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.end_to_end.replicas import KEY, free_port
from tests.end_to_end.stores import RedisServer
from tests.replicas.project import LEDGER, lay_out

NGINX_CONF = Path(__file__).parents[2] / "examples" / "deploy" / "nginx.conf"
PROGRAMS = {"nginx": "nginx-light", "redis-server": "redis-server"}  # and their packages in Debian
PORTS = (8001, 8002, 8003)  # of the replicas in NGINX_CONF
SECONDS = 60.0  # until a process has started
DRAIN_SECONDS = "1"


def missing_programs() -> list[str]:
    """Return the programs that are not installed, with their packages."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    return [
        f"{name} (apt-get install {of})" for name, of in PROGRAMS.items() if not shutil.which(name, path=path)
    ]


@dataclass
class Process:
    """A process that can be ended and started again, with the same command and ports."""

    command: list[str]
    folder: Path
    env: dict[str, str]
    log: Path
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.running = subprocess.Popen(
                self.command, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def end(self, number: int = signal.SIGTERM) -> None:
        """End it with a signal, and wait until it has ended."""
        if self.running is None:
            return
        if self.running.poll() is None:
            self.running.send_signal(number)
        try:
            self.running.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.running.kill()
            self.running.wait()


@dataclass
class Replica(Process):
    """A server, with its port."""

    port: int = 0

    def wait_until_ready(self) -> None:
        """Wait until `/readyz` answers 200."""
        _wait_for(f"http://127.0.0.1:{self.port}/readyz", self)


@dataclass
class Deployment:
    """Everything that runs."""

    folder: Path
    redis: RedisServer
    url: str = ""
    replicas: list[Replica] = field(default_factory=list)

    @property
    def ledger(self) -> list[str]:
        """A line for each execution of a tool."""
        path = self.folder / "ledger"
        return path.read_text().splitlines() if path.exists() else []

    async def restart(self, replica: Replica, number: int) -> None:
        """End a replica with a signal, and start it again; meanwhile, the load goes on."""
        await asyncio.to_thread(replica.end, number)
        await asyncio.sleep(0.5)
        replica.start()
        await asyncio.to_thread(replica.wait_until_ready)


@contextmanager
def deployed(folder: Path) -> Iterator[Deployment]:
    """Run three replicas behind nginx, with a Redis for what they share."""
    project = folder / "project"
    lay_out(project)
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer(folder))
        found = Deployment(folder, redis)
        env = {
            **os.environ,
            "PYTHONPATH": str(project),
            "PYTHONDONTWRITEBYTECODE": "1",
            LEDGER: str(folder / "ledger"),
            "TOOLGEN_IDEMPOTENCY_STORE": redis.url,
            "TOOLGEN_RATE_LIMIT_STORE": redis.url,
            "TOOLGEN_CONFIRMATION_STORE": redis.url,
            "TOOLGEN_CONFIRMATION_KEY": KEY,
            "TOOLGEN_DRAIN_DELAY": DRAIN_SECONDS,
            "TOOLGEN_LOG_FORMAT": "json",
        }
        for number in range(3):
            replica = Replica(
                [sys.executable, "-m", "generated.mcp_server", "--http"],
                project,
                env,
                folder / f"replica-{number + 1}.log",
                port=free_port(),
            )
            replica.command += ["--port", str(replica.port)]
            found.replicas.append(replica)
        for process in found.replicas:
            process.start()
            stack.callback(process.end)
        for replica in found.replicas:
            replica.wait_until_ready()
        port = _start_nginx(folder, [replica.port for replica in found.replicas], stack)
        found.url = f"http://127.0.0.1:{port}/mcp"
        yield found


def _start_nginx(folder: Path, ports: list[int], stack: ExitStack) -> int:
    """Start nginx with the documented configuration, on other ports and in `folder`."""
    port = free_port()
    text = NGINX_CONF.read_text()
    for documented, real in zip(PORTS, ports, strict=True):
        text = text.replace(f"127.0.0.1:{documented} ", f"127.0.0.1:{real} ")
    text = re.sub(r"listen \d+;", f"listen 127.0.0.1:{port};", text)
    text = text.replace("/var/log/nginx/error.log", str(folder / "nginx.log"))
    text = text.replace("/run/nginx.pid", str(folder / "nginx.pid"))
    (folder / "nginx.conf").write_text(text)
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    program = shutil.which("nginx", path=path) or "nginx"
    command = [program, "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
    process = Process(command, folder, dict(os.environ), folder / "nginx-start.log")
    process.start()
    stack.callback(process.end)
    _wait_for(f"http://127.0.0.1:{port}/healthz", process)
    return port


def _wait_for(url: str, process: Process) -> None:
    until = time.monotonic() + SECONDS
    while True:
        try:
            with urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            pass
        _check(process, until)


def _check(process: Process, until: float) -> None:
    """Wait a moment. Raises RuntimeError if the process has ended, or `until` has passed."""
    assert process.running is not None
    if process.running.poll() is not None or time.monotonic() > until:
        raise RuntimeError(f"{process.command[:4]} does not serve:\n{process.log.read_text()[-3000:]}")
    time.sleep(0.05)
