"""Run the tests of `toolgen test` on one mutant, in a fork of a process that has imported everything else."""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgen.testing.runner import STAGES, RunOptions, ToolRunner
from toolgen.testing.tool_under_test import ToolUnderTest

SECONDS = 3_000.0  # that the tests of one mutant may take; more on a busy machine than the tests need
_CALL_SECONDS = 60.0
_FOLDERS = ("examples/store", "examples/tools")  # with the implementations of the gallery's tools
_CONTEXT = "examples/tools/__init__.py"
_DATABASE = "examples/store/database.py"
"""Modules that every call uses. A tool imports itself what else the context gives it, for its annotations."""
_IMPORTED = (
    "toolgen.runtime.toolkit",
    "toolgen.runtime.execution.call",
    "toolgen.testing.toolkit_subject",
    "pydantic",
    "sqlite3",
    "PIL.ImageDraw",
    "fpdf",
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one mistake."""

    name: str
    what: str  # is wrong, in words
    path: str  # of the module, below the project; empty: nothing is wrong
    text: str  # the whole module with the mistake
    more: Mapping[str, str] = field(default_factory=dict)  # other modules that change, with their texts
    seed: str = "0"  # of the generated requests


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the tests say of a mutant."""

    mutant: Mutant
    found_by: str  # name of a check, `crash`, `hang` or `fixtures`; empty: it survived
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a project has its implementations, and what its tests need beside them."""

    root: Path
    copied: tuple[str, ...] = ("examples",)  # folders with the code that mutants change
    shared: tuple[str, ...] = ("generated", "tools", "specs")
    fixtures: str = "examples/toolgen_fixtures.py"


def preload(root: Path, tools: Sequence[ToolUnderTest], package: str = "examples") -> None:
    """Import what all mutants share: the generated code, too, but nothing of the `package` with mistakes."""
    sys.path[:0] = [str(root)]
    generated = [f"generated.{kind}.{tool.name}" for tool in tools for kind in ("tools", "definitions")]
    for name in (*_IMPORTED, "generated.catalog", *generated):
        importlib.import_module(name)
    if shared := [name for name in sys.modules if name.partition(".")[0] == package]:
        raise RuntimeError(f"mutants must import these modules themselves: {', '.join(shared)}")
    gc.freeze()  # the collector of a fork does not write to the memory that is shared


def users_of(root: Path) -> dict[str, set[str]]:
    """Return module → the names of the gallery's tools whose implementations import it, directly or not."""
    paths = {path.relative_to(root).as_posix(): path for of in _FOLDERS for path in (root / of).glob("*.py")}
    imports = {name: set(_imported(name, path.read_text("utf-8"))) for name, path in paths.items()}
    users: dict[str, set[str]] = {path: set() for path in imports}
    for path in imports:
        if not path.startswith("examples/tools/") or Path(path).stem.startswith("_"):
            continue
        seen, stack = {_CONTEXT}, [path, _DATABASE]
        while stack:
            here = stack.pop()
            seen.add(here)
            stack += [each for each in imports.get(here, ()) if each not in seen]
        for each in seen & users.keys():
            users[each].add(Path(path).stem)
    return users


def run_trials(
    layout: Layout,
    mutants: Sequence[Mutant],
    tools: Sequence[ToolUnderTest],
    *,
    at_once: int,
) -> Iterator[Verdict]:
    """Yield the verdict on each mutant, as they come. `tools` are tested in this order, stage by stage."""
    running: dict[int, _Trial] = {}
    waiting = list(reversed(mutants))
    users = users_of(layout.root)
    everything = {tool.name for tool in tools}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                mutant = waiting.pop()
                changed = [mutant.path, *mutant.more]
                names = {name for path in changed for name in users.get(path, everything)}
                used = [tool for tool in tools if tool.name in names]
                trial = _start(layout, mutant, _Job(used, tools))
                running[trial.process] = trial
            process, _ = os.waitpid(-1, os.WNOHANG)
            if process:
                yield _end(running.pop(process))
                continue
            for trial in list(running.values()):
                if time.monotonic() - trial.began > SECONDS:
                    _kill(trial.process)
            time.sleep(0.05)
    finally:
        for trial in running.values():
            _kill(trial.process)
            shutil.rmtree(trial.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Trial:
    mutant: Mutant
    process: int
    folder: Path
    began: float


@dataclass(frozen=True, slots=True)
class _Job:
    tools: Sequence[ToolUnderTest]
    all_tools: Sequence[ToolUnderTest]


def _start(layout: Layout, mutant: Mutant, job: _Job) -> _Trial:
    folder = Path(tempfile.mkdtemp(prefix="toolgen-mutant-"))
    for name in layout.copied:
        shutil.copytree(layout.root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in {mutant.path: mutant.text, **mutant.more}.items():
        if path:
            (folder / path).write_text(text, "utf-8")
    for shared in layout.shared:
        (folder / shared).symlink_to(layout.root / shared)
    (folder / "tmp").mkdir()
    process = os.fork()
    if process == 0:
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # as in the process of `toolgen test`
            _run(folder, folder / layout.fixtures, job, RunOptions(mutant.seed, shrink=False))
        finally:
            os._exit(9)
    return _Trial(mutant, process, folder, time.monotonic())


def _run(folder: Path, fixtures: Path, job: _Job, options: RunOptions) -> None:
    """Test tools until one fails; write what failed to the file `result`, and end the process."""
    import faulthandler

    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(folder)
    tempfile.tempdir = str(folder / "tmp")
    sys.path[:0] = [str(folder)]
    sys.dont_write_bytecode = True
    hung = open(folder / "trace", "w")  # noqa: SIM115  (until the process ends)

    def watch(_: Any = None) -> None:
        faulthandler.dump_traceback_later(_CALL_SECONDS, exit=True, file=hung)

    watch()
    (folder / "result").write_text(json.dumps(_first_failure(fixtures, job, options, watch=watch)))
    os._exit(0)


def _first_failure(file: Path, job: _Job, options: RunOptions, *, watch: Any) -> list[str]:
    from toolgen.testing.toolkit_subject import FixtureError, ToolkitSubject, load_fixtures

    try:
        fixtures = load_fixtures("generated", file)
        subjects = [ToolkitSubject(fixtures, tool.scopes, watch) for tool in job.tools]
        runs = [
            ToolRunner(tool, subject, options, tools=job.all_tools)
            for tool, subject in zip(job.tools, subjects, strict=True)
        ]
        # All tools go through one stage before the next: most are found by an example.
        for stage in STAGES:
            for run in runs:
                run.run_stage(stage)
                if not run.is_implemented:
                    return ["example", f"{run.tool.name} is not implemented"]
                for failure in run.failures[:1]:
                    return [failure.check, f"{run.tool.name}: {failure.message}"]
    except FixtureError as error:
        return ["fixtures", str(error)]
    return ["", ""]


def _end(trial: _Trial) -> Verdict:
    _kill(trial.process)
    seconds = time.monotonic() - trial.began
    try:
        found_by, message = json.loads((trial.folder / "result").read_text())
    except (OSError, ValueError):
        trace = trial.folder / "trace"
        hung = trace.is_file() and trace.stat().st_size > 0
        found_by, message = ("hang", "a call hangs") if hung or seconds > SECONDS else ("crash", "it ended")
    shutil.rmtree(trial.folder, ignore_errors=True)
    return Verdict(trial.mutant, found_by, message, seconds)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _imported(module: str, text: str) -> Iterator[str]:
    package = Path(module).parent.as_posix().replace("/", ".")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join(part for part in (package, base) if part)
            names = [base, *(f"{base}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.Constant) and str(node.value).endswith(".py"):  # runs it as a program
            names = [f"{package}.{str(node.value)[:-3]}"]
        else:
            continue
        for name in names:
            yield f"{name.replace('.', '/')}.py"
