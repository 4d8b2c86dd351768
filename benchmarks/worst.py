"""`make bench-worst`: the worst requests, how long another client waits for them, and their memory."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.end_to_end.wire import WAYS, NoAnswerError, Wire, served

from . import installation, report
from .process import Wrong
from .project import PYTHON, Project
from .worst_requests import REQUESTS, SCHEMAS, Worst

BLOCKED = 2.0  # seconds, as SECURITY.md promises
TIMES, SPARE = 40, 64 * 2**20  # memory, too: so many times the size of the request, and so many bytes
_PATIENCE = 30.0  # seconds for one request: the next one gets another server
_STARTING = 120.0  # seconds for the first call of each tool, on a busy machine
_PAUSE = 0.005  # seconds between two calls of the other client
_TOOL = """\
from generated.tools.{name} import {base}Tool

def texts(value):
    if isinstance(value, list):
        return "".join(map(texts, value))
    return "".join(map(texts, value.values())) if isinstance(value, dict) else str(value)

class Tool({base}Tool):
    def preview(self, request, context):
        return texts(request.x)

    async def execute(self, request, context):
        return "done"
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """The cost of one request: the longest time that another call waited, and memory above the usual."""

    case: str
    way: str
    size: int  # bytes of the request
    blocked: float  # seconds
    memory: int  # bytes

    @property
    def allowed(self) -> int:
        """Return the memory in bytes that a request of this size may take."""
        return TIMES * self.size + SPARE

    @property
    def is_met(self) -> bool:
        """True if the request keeps both limits."""
        return self.blocked <= BLOCKED and self.memory <= self.allowed


def lay_out(folder: Path, code: Path) -> Project:
    """Create and generate the project whose server is measured."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "specs").mkdir(parents=True)
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").touch()
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
    for name, schema in SCHEMAS.items():
        spec: dict[str, Any] = {"name": name, "description": "A tool.", "input_schema": schema}
        if name == "preview":
            spec["confirm"] = {"message": "Do it?", "preview": True}
        (folder / "specs" / f"{name}.yaml").write_text(json.dumps(spec))
        base = name.title().replace("_", "")
        (folder / "tools" / f"{name}.py").write_text(_TOOL.format(name=name, base=base))
    project = Project(folder, len(SCHEMAS), code)
    project.toolgen("generate")
    return project


def measure(project: Project, only: str = "") -> Iterator[Figure]:
    """Measure every request in every way; a server that did not answer is started anew."""
    made = [each for each in REQUESTS if only in each.name]
    for way in WAYS:
        left = list(made)
        while left:
            with served(project.folder, way, project.env, python=PYTHON) as wire:
                wire.call("echo", '{"text": "x"}', _STARTING)
                for tool in SCHEMAS:  # imports and schemas are of the first call
                    wire.call(tool, "{}", _STARTING)
                while left:
                    figure = _measured(wire, left.pop(0))
                    print(
                        f"{figure.case}, {way}: {figure.blocked:.2f} s, {figure.memory / 2**20:.0f} MB",
                        file=sys.stderr,
                    )
                    yield figure
                    if figure.blocked >= _PATIENCE:
                        break


def _measured(wire: Wire, request: Worst) -> Figure:
    """Send a request, and meanwhile call `echo` again and again."""
    text = request.arguments()
    wire.forget_peak()
    before, failed, done = wire.memory("VmRSS"), threading.Event(), threading.Event()

    def send() -> None:
        try:
            wire.call(request.tool, text, _PATIENCE)
        except NoAnswerError:
            failed.set()
        finally:
            done.set()

    now = wire.processor_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.monotonic
    thread = threading.Thread(target=send, daemon=True)
    longest, is_last = 0.0, False
    thread.start()
    while not is_last:
        is_last = done.is_set()  # one more call after the answer
        began = now()
        try:
            wire.call("echo", '{"text": "x"}', _PATIENCE)
        except NoAnswerError:
            longest = _PATIENCE
            break
        longest = max(longest, now() - began)
        time.sleep(_PAUSE)
    thread.join(1)
    if failed.is_set() and wire.process.poll() is not None:
        longest = _PATIENCE
    memory = max(0, wire.memory("VmHWM") - before)
    return Figure(request.name, wire.way, len(text.encode()), longest, memory)


def table(found: list[Figure]) -> Iterator[tuple[str, ...]]:
    """Yield a heading, and one line for each request: the worst of its ways."""
    yield ("request", "size", "another client waits", "memory", "allowed", "")
    for case in dict.fromkeys(each.case for each in found):
        same = [each for each in found if each.case == case]
        blocked = max(same, key=lambda each: each.blocked)
        memory = max(same, key=lambda each: each.memory)
        waits = f"{blocked.blocked:.2f} s" if blocked.blocked < _PATIENCE else f"{_PATIENCE:.0f} s or longer"
        yield (
            case,
            _megabytes(memory.size),
            f"{waits} ({blocked.way})",
            f"{_megabytes(memory.memory)} ({memory.way})",
            _megabytes(memory.allowed),
            "met" if all(each.is_met for each in same) else "missed",
        )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def main() -> int:
    """Print the table. Return 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="make bench-worst", description=__doc__)
    parser.add_argument("--commit", help="measure toolgen of this commit")
    parser.add_argument("--only", default="", help="requests whose name has this text")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu for a busy machine")
    args = parser.parse_args()
    os.environ["BENCH_CLOCK"] = args.clock
    work = Path("build/bench").resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        project = lay_out(work / "worst", installation.unpack(args.commit, work, "worst"))
        found = list(measure(project, args.only))
    except (Wrong, NoAnswerError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 2
    print(report.as_markdown(table(found)))
    return 0 if all(each.is_met for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
