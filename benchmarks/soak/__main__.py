"""`make soak`: calls of both eras over HTTP beside misbehaving tools and clients.

Exit code 1 if a call was lost or wrong, or if memory or descriptors grow.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from .calls import Soak
from .faults import start_faults
from .project import lay_out

IN_FLIGHT = 64  # calls at the same time
EVERY = 5.0  # seconds between two samples
LEAVING = 15.0  # seconds until the server has noticed that all clients are gone
MAX_GROWTH = 1.15  # of the memory of the last fifth of a run, to that of the second one
MORE_DESCRIPTORS = 32


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB; 0 if the system does not report it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


def descriptors(pid: int) -> int:
    """Return the number of open descriptors of a process; 0 if the system does not report it."""
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


@dataclass
class Server:
    """The server under test, with samples of its memory in MiB."""

    process: subprocess.Popen[bytes]
    log: Path
    memory: list[float] = field(default_factory=list)
    descriptors_before: int = 0
    descriptors_after: int = 0

    @property
    def growth(self) -> tuple[float, float]:
        """The median of its memory in the second and in the last fifth of the run."""
        fifth = max(1, len(self.memory) // 5)
        second, last = self.memory[fifth : 2 * fifth], self.memory[-fifth:]
        return statistics.median(second or last or [0]), statistics.median(last or [0])

    async def watch(self, run: Soak) -> None:
        """Sample it, and print a line every few seconds."""
        began = time.monotonic()
        while True:
            await asyncio.sleep(EVERY)
            self.memory.append(resident(self.process.pid))
            print(
                f"{time.monotonic() - began:6.0f} s  {run.right:8,} right  {len(run.wrong)} wrong  "
                f"{len(run.lost)} lost  {self.memory[-1]:6.0f} MiB  "
                f"{descriptors(self.process.pid)} descriptors",
                flush=True,
            )
            if self.process.poll() is not None:
                raise RuntimeError(f"the server has ended with {self.process.returncode}")


async def soak(server: Server, run: Soak, minutes: float) -> None:
    """Run the calls and the faults; then let the server rest, and count its descriptors again."""
    server.descriptors_before = descriptors(server.process.pid)
    faults = [*run.misbehaving(), *start_faults(run)]
    watching = asyncio.create_task(server.watch(run))
    calling = asyncio.create_task(run.callers(IN_FLIGHT))
    try:
        await asyncio.wait((watching, calling), timeout=minutes * 60, return_when=asyncio.FIRST_COMPLETED)
        run.calls = min(run.calls, run.sent)  # the time is up: no more calls begin
        await asyncio.wait((watching, calling), return_when=asyncio.FIRST_COMPLETED)
        for each in (watching, calling):
            if each.done():
                each.result()
    finally:
        for task in (watching, calling, *faults):
            task.cancel()
        await asyncio.wait((watching, calling, *faults))
    await asyncio.sleep(LEAVING)
    server.descriptors_after = descriptors(server.process.pid)


def main() -> int:
    """Run the command. Return 0 if every call was answered correctly, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="calls that must be answered correctly")
    parser.add_argument("--minutes", type=float, default=240, help="maximum duration")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        lay_out(folder)
        server = start(folder, stack)
        if (url := url_of(server)) is None:
            print(server.log.read_text()[-2000:], file=sys.stderr)
            return 1
        run = Soak(url, args.calls)
        began = time.monotonic()
        try:
            asyncio.run(soak(server, run, args.minutes))
        except RuntimeError as error:
            print(f"given up: {error!r}\n{server.log.read_text()[-2000:]}", file=sys.stderr)
        return report(run, server, calls=args.calls, seconds=time.monotonic() - began)


def start(folder: Path, stack: ExitStack) -> Server:
    """Start the server of the project in `folder`."""
    log = folder / "server.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "generated.mcp_server", "--http", "--port", "0"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return Server(process, log)


def url_of(server: Server) -> str | None:
    """Return the URL of a server that has started; None if it has not within a minute."""
    until = time.monotonic() + 60
    while (found := re.search(r"http://127\.0\.0\.1:\d+/mcp", server.log.read_text())) is None:
        if server.process.poll() is not None or time.monotonic() > until:
            return None
        time.sleep(0.05)
    return found[0]


def report(run: Soak, server: Server, *, calls: int, seconds: float) -> int:
    """Print the figures; return the exit code."""
    for each in (*run.wrong[:5], *run.lost[:5]):
        print(each)
    for name, count in sorted(run.others.items()):
        print(f"  {name} {count}")
    second, last = server.growth
    print(
        f"{run.right:,} of {calls:,} calls right, {len(run.wrong)} wrong, {len(run.lost)} lost; "
        f"{run.right / seconds:,.0f} calls/s; {second:.0f} to {last:.0f} MiB; "
        f"{server.descriptors_before} to {server.descriptors_after} descriptors"
    )
    is_flat = (
        last <= second * MAX_GROWTH
        and server.descriptors_after <= server.descriptors_before + MORE_DESCRIPTORS
    )
    return 0 if run.right == calls and not run.wrong and is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
